// What a picture's title says, beside the pointer at once. Without this script browsers show the same title a little later.
const box = document.createElement("div");
box.className = "hover";
box.hidden = true;
// Readers of the screen are told by the picture itself.
box.setAttribute("aria-hidden", "true");
document.body.append(box);

document.addEventListener("pointerover", (event) => {
  const picture = event.target.closest?.("svg.strip");
  box.hidden = !picture;
  if (!picture) return;
  box.textContent = picture.querySelector("title").textContent;
  const place = picture.getBoundingClientRect();
  const left = Math.min(place.left, document.documentElement.clientWidth - box.offsetWidth - 8);
  box.style.left = `${Math.max(0, left) + scrollX}px`;
  box.style.top = `${place.bottom + scrollY + 4}px`;
});

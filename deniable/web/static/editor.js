// Saves a form of a draft a moment after something was typed. Without this script the buttons do the same.
const WAIT = 1200;
const form = document.querySelector("form.part");

if (form) {
  const said = form.querySelector(".saved");
  let timer = 0;
  let running = null;
  let again = false;

  const showWrong = (wrong) => {
    for (const [key, sentences] of Object.entries(wrong)) {
      const list = document.getElementById(`wrong-${key}`);
      if (!list) continue;
      list.replaceChildren(
        ...sentences.map((sentence) => {
          const item = document.createElement("li");
          item.textContent = sentence;
          return item;
        }),
      );
      list.hidden = !sentences.length;
    }
  };

  const send = async () => {
    said.textContent = form.dataset.saving;
    const fields = new URLSearchParams(new FormData(form));
    fields.delete("drop");
    try {
      const reply = await fetch(form.action, {
        method: "POST",
        headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
        body: fields,
        redirect: "error",
      });
      const told = await reply.json();
      said.textContent = told.said ?? form.dataset.unsaved;
      if (!reply.ok) return;
      form.elements.seen.value = told.seen;
      form.elements.called.value = told.called;
      showWrong(told.wrong);
    } catch {
      said.textContent = form.dataset.unsaved;
    }
  };

  const save = async () => {
    if (running) {
      again = true;
      return;
    }
    running = send();
    await running;
    running = null;
    if (again) {
      again = false;
      save();
    }
  };

  form.addEventListener("input", (event) => {
    // What is removed for good is removed by the button alone, and another kind of question has other fields.
    if (event.target.name === "drop" || event.target.name === "type") return;
    said.textContent = "";
    clearTimeout(timer);
    timer = setTimeout(save, WAIT);
  });
  form.addEventListener("change", (event) => {
    if (event.target.name !== "type") return;
    form.requestSubmit(form.querySelector("button[value=stay]"));
  });
  // A save that is under way changes the mark that the form carries: the button waits for it.
  form.addEventListener("submit", (event) => {
    clearTimeout(timer);
    again = false;
    if (!running) return;
    event.preventDefault();
    const { submitter } = event;
    running.then(() => setTimeout(() => form.requestSubmit(submitter)));
  });
}

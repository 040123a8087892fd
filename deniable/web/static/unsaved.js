// Asks before somebody leaves a page with texts that were typed and not saved. Its buttons save; without this script nobody is asked.
const forms = [...document.querySelectorAll("form[data-unsaved]")];
let sent = false;

const lines = (text) => text.replace(/\r\n?/g, "\n");
// What a browser brings back into a field is no more saved than what is typed there: it differs from what the server sent.
const typed = (field) => field.matches("textarea, input:not([type]), input[type=text]") && lines(field.value) !== lines(field.defaultValue);
// "yes": the server has sent back what it could not save.
const unsaved = () => forms.some((form) => form.dataset.unsaved === "yes" || [...form.elements].some(typed));

for (const form of forms) {
  form.addEventListener("submit", () => {
    sent = true;
  });
}
window.addEventListener("beforeunload", (event) => {
  if (!sent && unsaved()) event.preventDefault();
});
// A page that comes back as it was sent has an old mark: how things are now is shown instead.
window.addEventListener("pageshow", (event) => {
  if (event.persisted && sent) window.location.reload();
});

// A page that is one file and may come from anywhere (docs/security.md, "A page as one file"). It carries its survey and says where
// answers go; of the server it believes only which version is taken, and whether any is.

import { make } from "./form.js";

const TOKEN = /^[A-Za-z0-9_~-]{1,128}$/;

/** What this page carries, or null: then it is the server's and asks there what to ask. */
export function carried() {
  const node = document.getElementById("carried");
  if (!node) return null;
  const { address, survey } = JSON.parse(node.textContent);
  return {
    address,
    survey,
    /** The survey, as open as the server says. */
    asked: (now) => ({ ...survey, open: now?.open === true }),
    isOld: (now) => now?.version !== survey.version,
  };
}

/** A field for the code of an invitation, for those whose link was cut: of a whole link, what follows the # is taken. */
export function tokenField(words, take) {
  const input = make("input", { type: "text", id: "token", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 500 });
  const wrong = make("p", { class: "problem", id: "problem-token", role: "alert", hidden: true }, words.tokenWrong);
  const form = make(
    "form",
    { novalidate: true },
    make("p", {}, make("label", { for: "token" }, words.token), make("br"), input),
    wrong,
    make("div", { class: "buttons" }, make("button", { class: "main" }, words.next)),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = input.value.trim().split("#").pop();
    wrong.hidden = TOKEN.test(typed);
    if (wrong.hidden) take(typed);
    else input.focus();
  });
  return form;
}

// The respondent's page: explains, asks, and at Send draws once, sends only that, and forgets the true answers.

import { day, mixedPart, panel, practice } from "./explain.js";
import { field, isVisible, keepApart, labelOf, make, read } from "./form.js";
import { mixesAsPromised } from "./mixing.js";
import { integerBelow, randomise, secureBytes } from "./randomise.js";
import { wordsOf } from "./words.js";

const main = document.getElementById("main");
const slug = decoded(location.pathname.split("/").filter(Boolean).pop());
const address = `/api/surveys/${encodeURIComponent(slug)}`;
// The token stands behind a #, which browsers never send by themselves: it appears in no log.
const token = decoded(location.hash.slice(1)) || null;
const waitingKey = `deniable-unsent-${slug}`;
let survey;
let language;
let words;
// Whether something would be lost if the page were left now.
let unsaved = false;
// What the browser's Back and Forward do while questions are shown.
let travel = () => {};

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a link that was cut in the middle of a character
  }
}

/** What was drawn and has not arrived yet. Where the browser keeps no data for this site it lives as long as the page. */
const waiting = {
  get() {
    try {
      return JSON.parse(sessionStorage.getItem(waitingKey));
    } catch {
      return null;
    }
  },
  keep(payload) {
    try {
      sessionStorage.setItem(waitingKey, JSON.stringify(payload));
      return true;
    } catch {
      return false;
    }
  },
  forget() {
    try {
      sessionStorage.removeItem(waitingKey);
    } catch {
      // Nothing was kept.
    }
  },
};

addEventListener("beforeunload", (event) => {
  if (unsaved) event.preventDefault();
});
addEventListener("popstate", (event) => travel(event.state?.page ?? 0));

function show(...children) {
  main.replaceChildren(...children.filter((child) => child != null));
  main.querySelector("h1")?.focus();
  window.scrollTo(0, 0);
}

const heading = (text) => make("h1", { tabindex: "-1" }, text);
const title = () => (survey?.title?.[language] ? heading(survey.title[language]) : null);
const buttons = (...children) => make("div", { class: "buttons" }, ...children);
const elements = () => survey.pages.flatMap((page) => page.elements);

function button(text, run, kind = "") {
  const node = make("button", { type: "button", class: kind }, text);
  node.addEventListener("click", run);
  return node;
}

/** How to take part when this page cannot go on: the organiser's words, or where they are. */
function otherWay() {
  const text = survey?.otherWay?.[language];
  return make("p", {}, text ?? make("a", { href: "?other-way" }, words.otherWay));
}

/** The end of the road: a sentence and another way, never an empty page. */
function stuck(sentence, ...more) {
  unsaved = false;
  show(title(), make("p", { role: "alert" }, sentence), otherWay(), ...more);
}

function speak(chosen) {
  language = chosen;
  words = wordsOf(language);
  document.documentElement.lang = language;
  document.title = survey ? survey.title[language] : document.title;
}

function languagePicker() {
  if (survey.languages.length < 2) return null;
  const select = make("select", { id: "page-language" });
  for (const one of survey.languages) {
    const name = new Intl.DisplayNames([one], { type: "language" }).of(one);
    select.append(make("option", { value: one, lang: one, selected: one === language }, name));
  }
  select.addEventListener("change", () => {
    speak(select.value);
    introduction();
    document.getElementById("page-language").focus();
  });
  return make("div", { class: "languages" }, make("label", { for: "page-language" }, words.language), select);
}

function introduction() {
  const facts = make("dl", {}, make("dt", {}, words.asks), make("dd", {}, survey.organiser[language]));
  if (survey.closes) facts.append(make("dt", {}, words.until), make("dd", {}, day(survey.closes, language)));
  facts.append(make("dt", {}, words.contact), make("dd", {}, survey.contact[language]));
  const practised = survey.practice && mixedPart(elements()) !== "none";
  show(
    languagePicker(),
    title(),
    survey.description ? make("p", {}, survey.description[language]) : null,
    facts,
    panel(survey, elements(), language, words),
    buttons(button(words.start, questions, "main"), practised ? button(words.practice, practise) : null),
  );
}

function practise() {
  const { group, result, done } = practice(survey, elements(), language, words);
  show(heading(words.practiceTitle), group, result, buttons(done, button(words.start, questions, "main")));
}

function questions() {
  const form = make("form", { novalidate: true, autocomplete: "off" });
  const all = elements();
  const errors = make("div", { class: "errors", hidden: true, tabindex: "-1", role: "alert" });
  const pages = survey.pages.map((page, p) => {
    const section = make("section", { hidden: p > 0 });
    if (survey.pages.length > 1) section.append(make("p", { class: "hint" }, words.step(p + 1, survey.pages.length)));
    if (page.title) section.append(make("h2", { tabindex: "-1" }, page.title[language]));
    section.append(...page.elements.map((element) => field(element, language, words)));
    return section;
  });
  const contacts = contactFields();
  if (contacts) pages[pages.length - 1].append(contacts);
  let current = 0;
  const back = button(words.back, () => go(current - 1));
  const next = button(words.next, () => go(current + 1), "main");
  // No button of the form submits it: Enter in a field sends nothing, on no page. Only this button, pressed itself, sends.
  const send = button(words.send, () => sendForm(form, all, errors, pages, go), "main");
  const note = make("p", { class: "hint" }, words.sendNote[mixedPart(all)]);
  const turn = (to) => {
    pages[current].hidden = true;
    current = to;
    pages[current].hidden = false;
    back.hidden = current === 0;
    next.hidden = current === pages.length - 1;
    send.hidden = note.hidden = current < pages.length - 1;
    (pages[current].querySelector("h2[tabindex]") ?? main.querySelector("h1")).focus();
    window.scrollTo(0, 0);
  };
  // Pages are steps of the browser's history, so that its Back leads to the page before; a step holds a page's number alone.
  const go = (to) => {
    if (to !== current) history.pushState({ page: to }, "");
    turn(to);
  };
  travel = (to) => {
    if (form.isConnected && to < pages.length) turn(to);
  };
  const refresh = () => {
    for (const element of all.filter((one) => one.visibleIf)) {
      const node = form.querySelector(`#field-${element.name}`);
      if (node) node.hidden = !isVisible(element, all, form);
    }
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    unsaved = true;
    keepApart(event.target);
    refresh();
  });
  form.append(errors, ...pages, note, buttons(back, next, send));
  show(title(), form);
  turn(0);
  refresh();
}

function sendForm(form, all, errors, pages, go) {
  if (!form.isConnected) return;
  const { answers, others, problems } = read(form, all, words, language);
  const contact = contactOf(form, problems);
  if (problems.length) {
    complain(form, errors, problems, pages, go);
    return;
  }
  let payload;
  try {
    payload = drawn(answers, others, contact);
  } catch {
    stuck(globalThis.crypto?.getRandomValues ? words.stuck : words.noRandom);
    return;
  }
  // From here on the true answers exist nowhere: the form is emptied and leaves the page.
  form.reset();
  form.remove();
  unsaved = !waiting.keep(payload);
  deliver(payload);
}

/** What is wrong, listed and beside each field; what was wrong before and is mended is not told again. */
function complain(form, errors, problems, pages, go) {
  for (const node of form.querySelectorAll(".problem")) node.remove();
  for (const node of form.querySelectorAll("[aria-invalid]")) {
    node.removeAttribute("aria-invalid");
    const others = (node.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && !id.startsWith("problem-"));
    if (others.length) node.setAttribute("aria-describedby", others.join(" "));
    else node.removeAttribute("aria-describedby");
  }
  const list = make("ul", {});
  for (const { name, title: about, text } of problems) {
    const node = form.querySelector(`#field-${name}`);
    const input = node.querySelector("input, select");
    const link = make("a", { href: `#field-${name}` }, `${about}: ${text}`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      go(pages.findIndex((page) => page.contains(node)));
      input.focus();
    });
    list.append(make("li", {}, link));
    node.append(make("p", { class: "problem", id: `problem-${name}` }, text));
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", `${input.getAttribute("aria-describedby") ?? ""} problem-${name}`.trim());
  }
  errors.replaceChildren(make("h2", {}, words.errorTitle), list);
  errors.hidden = false;
  errors.focus();
}

const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const letters = (n) => Array.from({ length: n }, () => LETTERS[integerBelow(LETTERS.length)]).join("");

/** The one draw: what is sent, with an id so that repeats of the same sending are known as such. */
function drawn(answers, others, contact) {
  const id = Array.from(secureBytes(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const payload = { version: survey.version, id, report: randomise(survey.recipe, answers, others) };
  if (survey.invited) payload.token = token;
  if (contact) payload.contact = contact;
  if (survey.linkage !== "none") payload.code = [letters(5), letters(5), letters(5)].join("-");
  return payload;
}

async function deliver(payload) {
  show(title(), make("p", { role: "status" }, words.sending));
  let answer;
  let reply = {};
  try {
    answer = await fetch(`${address}/answers`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(payload),
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    reply = await answer.json();
    // A network that answers in the server's place, with a page of its own, has stored nothing.
    if (answer.status >= 500 || answer.status === 429 || (answer.ok && reply.stored !== true)) throw new Error("try again");
  } catch {
    const part = mixedPart(elements());
    const reason = answer && words.refusals[reply?.code];
    show(
      title(),
      make("p", { role: "alert" }, words.failed[part], reason ? " " + reason : ""),
      buttons(button(words.retry, () => deliver(payload), "main")),
    );
    return;
  }
  waiting.forget();
  unsaved = false;
  if (answer.ok) thanks(payload);
  else refused(reply ?? {});
}

/** Why the answers were not taken: in the reader's language where the reason is known, else the server's English sentence. */
function refused({ code, message }) {
  const known = Object.hasOwn(words.refusals, code) ? words.refusals[code] : null;
  const reason = known ?? make("span", { lang: "en" }, message ?? "");
  // An invitation that is used or unknown stays so; a survey that has changed can be answered once more.
  const again = code === "wrong_version" || (!survey.invited && code !== "closed");
  show(
    title(),
    make("p", { role: "alert" }, words.refused, " ", reason),
    again ? buttons(button(code === "wrong_version" ? words.again : words.nextPerson, begin, "main")) : null,
  );
}

function thanks(payload) {
  const part = mixedPart(elements());
  const details = make("details", {}, make("summary", {}, words.whatSent), make("p", { class: "hint" }, words.whatSentNote[part]));
  const list = make("dl", {});
  for (const element of elements()) {
    if (!element.attributes.length) continue;
    list.append(make("dt", {}, element.title[language]));
    for (const name of element.attributes) list.append(make("dd", {}, labelOf(element, name, payload.report[name], language, words)));
  }
  details.append(list);
  show(
    title(),
    make("p", { role: "status", class: "strong" }, words.thanks[part]),
    payload.code ? make("p", {}, words.code, " ", make("span", { class: "code" }, payload.code)) : null,
    survey.showSent === "after" ? details : null,
    // An invitation is one person's and is used now.
    survey.invited ? null : buttons(button(words.nextPerson, begin)),
  );
}

/** Contact details, asked only where the survey keeps a register. */
function contactFields() {
  if (survey.linkage !== "register") return null;
  const line = (name, type, text) =>
    make(
      "p",
      { id: `field-contact-${name}` },
      make("label", { for: `contact-${name}` }, text),
      make("br"),
      make("input", { type, id: `contact-${name}`, name: `contact-${name}`, maxlength: 200, autocomplete: type === "email" ? "email" : "name" }),
    );
  return make(
    "fieldset",
    {},
    make("legend", {}, words.contactTitle),
    make("p", { class: "hint" }, words.linkRegister[mixedPart(elements())]),
    line("name", "text", words.name),
    line("email", "email", words.email),
  );
}

function contactOf(form, problems) {
  if (survey.linkage !== "register") return undefined;
  const contact = {};
  for (const name of ["name", "email"]) {
    contact[name] = form.querySelector(`#contact-${name}`).value.trim();
    const wrong = !contact[name] ? words.errorContact : name === "email" && !/^\S+@\S+$/.test(contact[name]) ? words.errorEmail : null;
    if (wrong) problems.push({ name: `contact-${name}`, title: words[name], text: wrong });
  }
  return contact;
}

/** Load the survey, as if the page had just been opened. */
async function load() {
  survey = undefined;
  speak((navigator.language ?? "en").slice(0, 2));
  show(make("p", { role: "status" }, words.loading));
  let answer;
  try {
    answer = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" });
  } catch {
    stuck(words.unreachable);
    return;
  }
  if (!answer.ok) {
    stuck(answer.status === 404 ? words.notFound : words.unreachable);
    return;
  }
  const loaded = await answer.json();
  const wanted = new URLSearchParams(location.search).get("lang") ?? language;
  survey = loaded;
  speak(survey.languages.includes(wanted) ? wanted : survey.languages[0]);
  const unsent = waiting.get();
  if (unsent) deliver(unsent);
  else if (!survey.open) show(title(), make("p", {}, words.closed));
  else if (!mixesAsPromised(survey)) stuck(words.dishonest);
  else if (survey.invited && !token) show(title(), make("p", { role: "alert" }, words.needsToken));
  else introduction();
}

function begin() {
  load().catch(() => stuck(words.stuck));
}

begin();

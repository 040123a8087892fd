// The respondent's page: explains, asks, and at Send draws once, sends only that, and forgets the true answers.

import { field, isVisible, labelOf, make, read } from "./form.js";
import { integerBelow, randomise, secureBytes } from "./randomise.js";
import { wordsOf } from "./words.js";

const main = document.getElementById("main");
const slug = decodeURIComponent(location.pathname.split("/").filter(Boolean).pop());
const address = `/api/surveys/${encodeURIComponent(slug)}`;
// The token stands behind a #, which browsers never send by themselves: it appears in no log.
const token = decodeURIComponent(location.hash.slice(1)) || null;
const waitingKey = `deniable-unsent-${slug}`;
let survey;
let language;
let words;

function show(...children) {
  main.replaceChildren(...children.filter((child) => child != null));
  const heading = main.querySelector("h1");
  heading?.focus();
  window.scrollTo(0, 0);
}

const heading = (text) => make("h1", { tabindex: "-1" }, text);

function button(text, run, kind = "") {
  const node = make("button", { type: "button", class: kind }, text);
  node.addEventListener("click", run);
  return node;
}

function speak(chosen) {
  language = chosen;
  words = wordsOf(language);
  document.documentElement.lang = language;
  document.title = survey ? survey.title[language] : document.title;
}

function languagePicker() {
  if (survey.languages.length < 2) return null;
  const select = make("select", { id: "language" });
  for (const one of survey.languages) {
    const name = new Intl.DisplayNames([one], { type: "language" }).of(one);
    select.append(make("option", { value: one, lang: one, selected: one === language }, name));
  }
  select.addEventListener("change", () => {
    speak(select.value);
    introduction();
    document.getElementById("language").focus();
  });
  return make("div", { class: "languages" }, make("label", { for: "language" }, words.language), select);
}

const elements = () => survey.pages.flatMap((page) => page.elements);

function example() {
  const shown = elements().find((element) => element.private && element.choices.length > 1 && element.type !== "checkbox");
  if (!shown) return null;
  const [first, second] = shown.choices;
  const [n, of] = shown.mixing.second % 10 ? [shown.mixing.second, 100] : [shown.mixing.second / 10, 10];
  return make("p", {}, `${shown.title[language]} `, words.example(first.text[language], second.text[language], n, of));
}

function introduction() {
  const links = { none: words.linkNone, code: words.linkCode, register: words.linkRegister };
  const facts = make("dl", {}, make("dt", {}, words.asks), make("dd", {}, survey.organiser[language]));
  if (survey.closes) facts.append(make("dt", {}, words.until), make("dd", {}, new Date(survey.closes + "T00:00").toLocaleDateString(language, { dateStyle: "long" })));
  facts.append(make("dt", {}, words.contact), make("dd", {}, survey.contact[language]));
  const open = elements().some((element) => !element.private && element.attributes.length);
  show(
    languagePicker(),
    heading(survey.title[language]),
    survey.description ? make("p", {}, survey.description[language]) : null,
    facts,
    make(
      "div",
      { class: "panel" },
      make("h2", {}, words.receives),
      make("p", {}, words.receivesText),
      open ? make("p", {}, words.open) : null,
      make("h2", {}, words.knows),
      make("p", {}, words.knowsText),
      example(),
      make("p", {}, links[survey.linkage]),
      make("p", { class: "strong" }, words.truth),
    ),
    make(
      "div",
      { class: "buttons" },
      button(words.start, questions, "main"),
      survey.practice ? button(words.practice, practice) : null,
    ),
  );
}

function practice() {
  const yesNo = [wordsOf(language) === wordsOf("pl") ? "Nie" : "No", wordsOf(language) === wordsOf("pl") ? "Tak" : "Yes"];
  const private_ = elements().find((element) => element.private);
  const result = make("p", { role: "status" });
  const group = make("fieldset", {}, make("legend", {}, words.practiceQuestion));
  yesNo.forEach((text, i) =>
    group.append(
      make("div", { class: "option" }, make("input", { type: "radio", name: "practice", id: `practice-${i}` }), make("label", { for: `practice-${i}` }, text)),
    ),
  );
  show(
    heading(words.practiceTitle),
    group,
    result,
    make(
      "div",
      { class: "buttons" },
      button(words.practiceDone, () => (result.textContent = words.practiceResult(private_ ? private_.mixing.another : 0))),
      button(words.start, questions, "main"),
    ),
  );
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
  const back = button(words.back, () => turn(current - 1));
  const next = button(words.next, () => turn(current + 1), "main");
  const send = make("button", { type: "submit", class: "main" }, words.send);
  const note = make("p", { class: "hint" }, words.sendNote);
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
  const refresh = () => {
    for (const element of all.filter((one) => one.visibleIf)) {
      const node = form.querySelector(`#field-${element.name}`);
      if (node) node.hidden = !isVisible(element, all, form);
    }
  };
  form.addEventListener("change", (event) => {
    // Whoever ticks "prefer not to answer" has no boxes ticked, and the other way round.
    const box = event.target;
    if (box.type === "checkbox" && box.checked) {
      const group = box.closest("fieldset");
      group?.querySelectorAll('input[type="checkbox"]').forEach((other) => {
        if (other !== box && other.name.endsWith("--none") !== box.name.endsWith("--none")) other.checked = false;
      });
    }
    refresh();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (send.disabled) return;
    const { answers, others, problems } = read(form, all, words);
    const contact = contactOf(form, problems);
    if (problems.length) {
      complain(errors, problems, pages, turn);
      return;
    }
    send.disabled = true;
    let payload;
    try {
      payload = drawn(answers, others, contact);
    } catch {
      show(heading(survey.title[language]), make("p", { role: "alert" }, words.noRandom), make("p", {}, survey.otherWay[language]));
      return;
    }
    // From here on the true answers exist nowhere: the form is emptied and leaves the page.
    form.reset();
    form.remove();
    sessionStorage.setItem(waitingKey, JSON.stringify(payload));
    deliver(payload);
  });
  form.append(errors, ...pages, note, make("div", { class: "buttons" }, back, next, send));
  show(heading(survey.title[language]), form);
  turn(0);
  refresh();
}

function complain(errors, problems, pages, turn) {
  const list = make("ul", {});
  for (const { name, text } of problems) {
    const link = make("a", { href: `#field-${name}` }, text);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const node = document.getElementById(`field-${name}`);
      turn(pages.findIndex((page) => page.contains(node)));
      (node.querySelector("input, select") ?? node).focus();
    });
    list.append(make("li", {}, link));
    const node = document.getElementById(`field-${name}`);
    node.querySelector(".problem")?.remove();
    node.append(make("p", { class: "problem" }, text));
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
  show(heading(survey.title[language]), make("p", { role: "status" }, words.sending));
  let answer;
  try {
    answer = await fetch(`${address}/answers`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(payload),
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    if (answer.status >= 500 || answer.status === 429) throw new Error("try again");
  } catch {
    show(
      heading(survey.title[language]),
      make("p", { role: "alert" }, words.failed),
      make("div", { class: "buttons" }, button(words.retry, () => deliver(payload), "main")),
    );
    return;
  }
  sessionStorage.removeItem(waitingKey);
  if (!answer.ok) {
    const reason = await answer.json().catch(() => ({}));
    show(heading(survey.title[language]), make("p", { role: "alert" }, words.refused + " " + (reason.message ?? answer.status)), nextPerson());
    return;
  }
  thanks(payload);
}

function nextPerson() {
  return make("div", { class: "buttons" }, button(words.nextPerson, introduction));
}

function thanks(payload) {
  const details = make("details", {}, make("summary", {}, words.whatSent), make("p", { class: "hint" }, words.whatSentNote));
  const list = make("dl", {});
  for (const element of elements()) {
    if (!element.attributes.length) continue;
    list.append(make("dt", {}, element.title[language]));
    for (const name of element.attributes) list.append(make("dd", {}, labelOf(element, name, payload.report[name], language, words)));
  }
  details.append(list);
  show(
    heading(survey.title[language]),
    make("p", { role: "status", class: "strong" }, words.thanks),
    payload.code ? make("p", {}, words.code, " ", make("span", { class: "code" }, payload.code)) : null,
    survey.showSent === "after" ? details : null,
    nextPerson(),
  );
}

/** Contact details, asked only where the survey keeps a register; they are stored apart from the answers. */
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
    make("p", { class: "hint" }, words.linkRegister),
    line("name", "text", words.name),
    line("email", "email", words.email),
  );
}

function contactOf(form, problems) {
  if (survey.linkage !== "register") return undefined;
  const contact = {};
  for (const name of ["name", "email"]) {
    contact[name] = form.querySelector(`#contact-${name}`).value.trim();
    if (!contact[name]) problems.push({ name: `contact-${name}`, text: words.errorContact });
  }
  return contact;
}

async function begin() {
  speak((navigator.language ?? "en").slice(0, 2));
  show(make("p", { role: "status" }, words.loading));
  let answer;
  try {
    answer = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });
  } catch {
    show(make("p", { role: "alert" }, words.unreachable));
    return;
  }
  if (!answer.ok) {
    show(make("p", { role: "alert" }, answer.status === 404 ? words.notFound : words.unreachable));
    return;
  }
  survey = await answer.json();
  const wanted = new URLSearchParams(location.search).get("lang") ?? language;
  speak(survey.languages.includes(wanted) ? wanted : survey.languages[0]);
  const waiting = sessionStorage.getItem(waitingKey);
  if (waiting) deliver(JSON.parse(waiting));
  else if (!survey.open) show(heading(survey.title[language]), make("p", {}, words.closed));
  else if (survey.invited && !token) show(heading(survey.title[language]), make("p", { role: "alert" }, words.needsToken));
  else introduction();
}

begin();

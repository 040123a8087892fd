// The respondent's page: explains, asks, and at Send draws once, sends only that, and forgets the true answers.

import { day, mixedPart, panel, practice } from "./explain.js";
import { field, isVisible, labelOf, make, read } from "./form.js";
import { placeOf } from "./kind.js";
import { carried, tokenField } from "./offline.js";
import { acknowledged, count, mayDraw } from "./once.js";
import { NoRandomness, checkRandomness, integerBelow, randomise, secureBytes } from "./randomise.js";
import { accepted, readJson } from "./rules.js";
import { remembered, takeToken } from "./tab.js";
import { LANGUAGES, wordsOf } from "./words.js";

const main = document.getElementById("main");
// A page that is one file carries its survey; all others ask the server they come from.
const file = carried();
const here = placeOf(file, location.pathname);
const previewed = here.answers === null;
// What this tab remembers over a reload: what was drawn and has not arrived yet, and the token of an invitation.
// Another file may have the same survey's name and another server. A preview remembers nothing.
const waiting = remembered(`deniable-unsent-${here.name}`);
const ticket = remembered(`deniable-token-${here.name}`);
let token = previewed ? null : takeToken(ticket);
// How long Send waits to hear that the survey has not changed.
const LOOK_MS = 5_000;
let survey;
let language;
let words;
// The language that was picked on this page; it is kept nowhere else.
let picked = null;
// What shows the present screen again, in another language.
let screen = () => {};
// Whether something would be lost if the page were left now.
let unsaved = false;
// What the browser's Back and Forward do while questions are shown.
let travel = () => {};

addEventListener("beforeunload", (event) => {
  if (unsaved && !previewed) event.preventDefault();
});
addEventListener("popstate", (event) => travel(event.state?.page ?? 0));
// Another invitation was opened in this tab: only what follows the # differs.
addEventListener("hashchange", () => location.hash && location.reload());

/** Show a screen, now and again after another language is picked. */
function present(render) {
  screen = render;
  render();
}

function show(...children) {
  main.replaceChildren(...[banner(), languagePicker(), ...children].filter((child) => child != null));
  main.querySelector("h1")?.focus();
  window.scrollTo(0, 0);
}

/** What a page says on every screen if it is no real survey's. */
function banner() {
  if (here.kind === null) return null;
  const back = here.draft ? make("a", { href: `${here.draft}?lang=${LANGUAGES.includes(language) ? language : "en"}` }, words.toDraft) : null;
  return make("p", { class: "banner" }, make("strong", {}, words.banner[here.kind]), back ? " " : null, back);
}

const heading = (text) => make("h1", { tabindex: "-1" }, text);
const title = () => (survey?.title?.[language] ? heading(survey.title[language]) : null);
const buttons = (...children) => make("div", { class: "buttons" }, ...children);

function button(text, run, kind = "") {
  const node = make("button", { type: "button", class: kind }, text);
  node.addEventListener("click", run);
  return node;
}

/** How to take part when this page cannot go on: the organiser's words, or where they are. */
function otherWay() {
  const texts = (survey ?? file?.survey)?.otherWay;
  const text = texts?.[language] ?? (file ? Object.values(texts)[0] : null);
  return make("p", {}, text ?? make("a", { href: "?other-way" }, words.otherWay));
}

/** The end of the road: a sentence (by its name among the words) and another way, never an empty page. */
function stuck(sentence) {
  unsaved = false;
  present(() => show(title(), make("p", { role: "alert" }, words[sentence]), previewed ? null : otherWay()));
}

function speak(chosen) {
  language = chosen;
  words = wordsOf(language);
  document.documentElement.lang = language;
  document.title = survey ? survey.title[language] : document.title;
}

/** Where there is a choice: of the survey's languages, or before it is loaded of those that the page itself speaks. */
function languagePicker() {
  const languages = (survey ?? file?.survey)?.languages ?? LANGUAGES;
  if (languages.length < 2) return null;
  const select = make("select", { id: "page-language" });
  for (const one of languages) {
    const name = new Intl.DisplayNames([one], { type: "language" }).of(one);
    select.append(make("option", { value: one, lang: one, selected: one === language }, name));
  }
  select.addEventListener("change", () => {
    picked = select.value;
    speak(picked);
    screen();
    document.getElementById("page-language").focus();
  });
  return make("div", { class: "languages" }, make("label", { for: "page-language" }, words.language), select);
}

/** While Send is at work no second form may take the place of the one that is being sent. */
function holdLanguage(held) {
  const select = document.getElementById("page-language");
  if (select) select.disabled = held;
}

function introduction() {
  present(() => {
    const facts = make("dl", {}, make("dt", {}, words.asks), make("dd", {}, survey.organiser[language]));
    if (survey.closes) facts.append(make("dt", {}, words.until), make("dd", {}, day(survey.closes, language)));
    facts.append(make("dt", {}, words.contact), make("dd", {}, survey.contact[language]));
    const practised = survey.practice && mixedPart(survey.elements) !== "none";
    show(
      title(),
      survey.description ? make("p", {}, survey.description[language]) : null,
      facts,
      panel(survey, survey.elements, language, words),
      buttons(button(words.start, () => questions(), "main"), practised ? button(words.practice, practise) : null),
    );
  });
}

function practise() {
  present(() => {
    const { group, result, done } = practice(survey, survey.elements, language, words);
    show(heading(words.practiceTitle), group, result, buttons(done, button(words.start, () => questions(), "main")));
  });
}

/** What was filled in goes into the same questions in another language. They have the same fields in the same order; if not, all stay empty. */
function takeOver(from, into) {
  const [before, now] = [from, into].map((form) => [...form.querySelectorAll("input, select")]);
  if (before.length === now.length && before.every(({ id }, i) => id === now[i].id)) {
    before.forEach((field, i) => {
      if (field.type === "radio" || field.type === "checkbox") now[i].checked = field.checked;
      else now[i].value = field.value;
    });
  }
  from.reset();
}

function questions(before = null) {
  const form = make("form", { novalidate: true, autocomplete: "off" });
  const fields = survey.elements.map((element) => field(element, language, words));
  const errors = make("div", { class: "errors", hidden: true, tabindex: "-1", role: "alert" });
  const pages = survey.pages.map((page, p) => {
    const section = make("section", { hidden: p > 0 });
    if (survey.pages.length > 1) section.append(make("p", { class: "hint" }, words.step(p + 1, survey.pages.length)));
    if (page.title) section.append(make("h2", { tabindex: "-1" }, page.title[language]));
    section.append(...fields.filter(({ element }) => page.elements.includes(element)).map(({ node }) => node));
    return section;
  });
  const contacts = contactFields();
  if (contacts) pages[pages.length - 1].append(contacts.node);
  let current = 0;
  const back = button(words.back, () => go(current - 1));
  const next = button(words.next, () => go(current + 1), "main");
  // No button of the form submits it: Enter in a field sends nothing, on no page. Only this button, pressed itself, sends.
  const send = button(words.send, () => sendForm({ form, fields, contacts, errors, pages, go }), "main");
  const note = make("p", { class: "hint" }, `${words.skipped} ${words.sendNote[mixedPart(survey.elements)]}`);
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
    for (const one of fields) one.node.hidden = !isVisible(one, fields);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    unsaved = true;
    refresh();
    // What was wrong is said until it is changed; Send looks at it again.
    settle(target.closest("[aria-invalid]") ?? target.closest("fieldset, .consent, p")?.querySelector("[aria-invalid]"), errors);
  });
  form.append(errors, ...pages, note, buttons(back, next, send));
  screen = () => questions({ form, page: current });
  show(title(), form);
  if (before) takeOver(before.form, form);
  turn(before?.page ?? 0);
  refresh();
}

async function sendForm({ form, fields, contacts, errors, pages, go }) {
  if (!form.isConnected || form.inert) return;
  const { answers, others, problems } = read(fields, words, language);
  const contact = contacts?.read(problems);
  if (problems.length) {
    complain(form, errors, problems, pages, go);
    return;
  }
  form.inert = true;
  holdLanguage(true);
  // A survey that was changed in the meantime takes no answers to this version: nothing is drawn for it.
  const now = previewed ? null : await look();
  if (file && !now) {
    form.inert = false;
    holdLanguage(false);
    errors.replaceChildren(make("p", {}, words.notReached));
    errors.hidden = false;
    errors.focus();
    return;
  }
  const over = file && now.open !== true;
  const changed = now !== null && now.version !== survey.version;
  let payload;
  try {
    if (previewed || (!changed && !over && mayDraw(survey))) payload = drawn(answers, others, contact);
  } catch (error) {
    stuck(error instanceof NoRandomness ? "noRandom" : "stuck");
    return;
  }
  // From here on the true answers exist nowhere: the form is emptied and leaves the page.
  form.reset();
  form.remove();
  unsaved = false;
  if (previewed) previewEnd(payload.payload);
  else if (changed && file) stuck("outdated");
  else if (changed) refused({ code: "wrong_version" });
  else if (over) refused({ code: "closed" });
  else if (!payload) stuck("drawnBefore");
  else {
    unsaved = !waiting.keep(payload);
    deliver(payload, now);
  }
}

/** What the server says of the survey by now; null where it says nothing. A page of the server's then takes it to be the same, for it
 *  loaded it from there a moment ago; a file may be weeks old, and holds the answers back. */
async function look() {
  try {
    const answer = await fetch(here.survey, { ...QUIETLY, signal: AbortSignal.timeout(LOOK_MS) });
    const now = readJson(await answer.arrayBuffer());
    return answer.ok && Number.isSafeInteger(now?.version) ? now : null;
  } catch {
    return null;
  }
}

/** Take back what is said of one input: beside it, and in the list; the list goes with its last line. */
function settle(input, errors) {
  const about = (input?.getAttribute("aria-describedby") ?? "").split(" ");
  const id = about.find((one) => one.startsWith("problem-"));
  if (!id) return;
  input.removeAttribute("aria-invalid");
  const others = about.filter((one) => one !== id);
  if (others.length) input.setAttribute("aria-describedby", others.join(" "));
  else input.removeAttribute("aria-describedby");
  document.getElementById(id)?.remove();
  for (const link of errors.querySelectorAll("a")) if (link.dataset.problem === id) link.parentNode.remove();
  errors.hidden = errors.querySelector("a") === null;
}

/** What is wrong, listed and beside each field; what was wrong before and is fixed is not said again. */
function complain(form, errors, problems, pages, go) {
  for (const input of form.querySelectorAll("[aria-invalid]")) settle(input, errors);
  const list = make("ul", {});
  for (const { name, node, title: about, text } of problems) {
    const input = node.querySelector("input, select");
    const id = `problem-${name}`;
    // A question has a mark at its end already.
    const link = make("a", { href: `#field-${name}`, "data-problem": id }, `${about}${/[?!.:…]$/.test(about) ? "" : ":"} ${text}`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      go(pages.findIndex((page) => page.contains(node)));
      input.focus();
    });
    list.append(make("li", {}, link));
    node.append(make("p", { class: "problem", id }, text));
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", `${input.getAttribute("aria-describedby") ?? ""} ${id}`.trim());
  }
  errors.replaceChildren(make("h2", {}, words.errorTitle), list);
  errors.hidden = false;
  errors.focus();
}

const QUIETLY = { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store", redirect: "error" };
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const letters = (n) => Array.from({ length: n }, () => LETTERS[integerBelow(LETTERS.length)]).join("");

/** The one draw: what is sent, with an id so that repeats of the same sending are known as such. */
function drawn(answers, others, contact) {
  checkRandomness();
  // What leaves the page counts; a preview's does not leave it.
  const odds = previewed ? 1 : count(survey);
  const id = Array.from(secureBytes(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const payload = { version: survey.version, id, report: randomise(survey.recipe, answers, others) };
  if (survey.invited) payload.token = token;
  if (contact) payload.contact = contact;
  if (survey.linkage !== "none") payload.code = [letters(5), letters(5), letters(5)].join("-");
  return { payload, odds };
}

/** The only place from which answers leave the page. */
function post(payload) {
  if (here.answers === null) throw new Error("a preview sends nothing");
  return fetch(here.answers, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(payload),
    ...QUIETLY,
  });
}

/** Sends what was drawn, as often as it takes. A file first asks which version is taken, unless it has just heard (`now`). */
async function deliver({ payload, odds }, now = null) {
  present(() => show(title(), make("p", { role: "status" }, words.sending)));
  let answer;
  let reply = {};
  try {
    if (file) {
      now ??= await look();
      if (!now) throw new Error("try again");
      if (now.version !== payload.version || now.open !== true) {
        // An earlier try may have arrived, so this is not "nothing was sent".
        stuck(now.version === payload.version ? "closed" : "outdatedLater");
        return;
      }
    }
    answer = await post(payload);
    reply = await answer.json();
    // A network that answers in the server's place, with a page of its own, has stored nothing.
    if (answer.status >= 500 || answer.status === 429 || (answer.ok && reply.stored !== true)) throw new Error("try again");
  } catch {
    const part = mixedPart(survey.elements);
    const known = answer && Object.hasOwn(words.refusals, reply?.code);
    present(() =>
      show(
        title(),
        make("p", { role: "alert" }, words.failed[part], known ? " " + words.refusals[reply.code] : ""),
        buttons(button(words.retry, () => deliver({ payload, odds }), "main")),
      ),
    );
    return;
  }
  waiting.forget();
  unsaved = false;
  if (!answer.ok) {
    refused(reply ?? {});
    return;
  }
  acknowledged(odds);
  ticket.forget();
  token = null;
  thanks(payload);
}

/** Why the answers were not taken: in the reader's language where the reason is known, else the server's English sentence. */
function refused({ code, message }) {
  // An invitation that is used or unknown stays so; a survey that has changed can be answered once more.
  const again = (code === "wrong_version" && !file) || (!survey.invited && code !== "closed" && code !== "wrong_version");
  present(() => {
    const known = Object.hasOwn(words.refusals, code) ? words.refusals[code] : null;
    show(
      title(),
      make("p", { role: "alert" }, words.refused, " ", known ?? make("span", { lang: "en" }, message ?? "")),
      again && mayDraw(survey)
        ? buttons(code === "wrong_version" ? button(words.again, begin, "main") : button(words.nextPerson, nextPerson, "main"))
        : null,
      ...(again && !mayDraw(survey) ? [make("p", {}, words.drawnBefore), otherWay()] : []),
    );
  });
}

/** A report in words: every question, and what is sent for it. */
function inWords({ report }) {
  const list = make("dl", {});
  for (const element of survey.elements) {
    if (!element.attributes.length) continue;
    list.append(make("dt", {}, element.title[language]));
    for (const name of element.attributes) list.append(make("dd", {}, labelOf(element, name, report[name], language, words)));
  }
  return list;
}

/** The end of a preview: all that would have been sent. */
function previewEnd(payload) {
  present(() => {
    const also = [payload.contact ? Object.values(payload.contact).join(", ") : null, payload.code ?? null].filter((text) => text !== null);
    show(
      title(),
      make("p", { role: "status", class: "strong" }, words.previewEnd),
      make("p", { class: "hint" }, words.whatSentNote[mixedPart(survey.elements)]),
      inWords(payload),
      make("p", {}, words.previewAlso(also.length)),
      ...also.map((text) => make("p", {}, make("bdi", {}, text))),
      buttons(button(words.previewAgain, begin, "main")),
    );
  });
}

function thanks(payload) {
  const part = mixedPart(survey.elements);
  present(() => {
    const details = make("details", {}, make("summary", {}, words.whatSent), make("p", { class: "hint" }, words.whatSentNote[part]), inWords(payload));
    show(
      title(),
      make("p", { role: "status", class: "strong" }, words.thanks[part]),
      payload.code ? make("p", {}, words.code, " ", receipt(payload.code)) : null,
      survey.showSent === "after" ? details : null,
      // An invitation is one person's and is used now.
      survey.invited ? null : buttons(button(words.nextPerson, nextPerson)),
    );
  });
}

/** A receipt code on a line of its own; where that is too narrow it goes on in the next after a hyphen, and nowhere else. */
function receipt(code) {
  const parts = code.split("-").map((part, i) => make("span", {}, i < 2 ? `${part}-` : part));
  return make("span", { class: "code" }, ...parts);
}

/** Contact details, asked only where the survey keeps a register. */
function contactFields() {
  if (survey.linkage !== "register") return null;
  const lines = [["name", "text"], ["email", "email"]].map(([name, type]) => {
    const id = `contact-${name}`;
    const input = make("input", { type, id, name: id, maxlength: 200, autocomplete: name });
    return { name, input, node: make("p", { id: `field-${id}` }, make("label", { for: id }, words[name]), make("br"), input) };
  });
  const note = make("p", { class: "hint" }, words.linkRegister[mixedPart(survey.elements)]);
  const read = (problems) =>
    Object.fromEntries(
      lines.map(({ name, input, node }) => {
        const value = input.value.trim();
        const wrong = !value ? words.errorContact : name === "email" && !/^\S+@\S+$/.test(value) ? words.errorEmail : null;
        if (wrong) problems.push({ name: `contact-${name}`, node, title: words[name], text: wrong });
        return [name, value];
      }),
    );
  return { node: make("fieldset", {}, make("legend", {}, words.contactTitle), note, ...lines.map(({ node }) => node)), read };
}

/** Load the survey, as if the page had just been opened. */
async function load() {
  survey = undefined;
  const wanted = picked ?? new URLSearchParams(location.search).get("lang") ?? (navigator.language ?? "en").slice(0, 2);
  speak(LANGUAGES.includes(wanted) ? wanted : "en");
  present(() => show(make("p", { role: "status" }, words.loading)));
  let answer;
  try {
    // Drafts are shown to those who have logged in.
    answer = await fetch(here.survey, previewed ? { ...QUIETLY, credentials: "same-origin" } : QUIETLY);
  } catch {
    stuck(previewed ? "previewGone" : file ? "notReached" : "unreachable");
    return;
  }
  if (!answer.ok) {
    stuck(previewed ? "previewGone" : answer.status === 404 ? "notFound" : "unreachable");
    return;
  }
  let told;
  try {
    told = readJson(await answer.arrayBuffer());
    survey = accepted(file ? file.asked(told) : told);
  } catch {
    // Of a survey that is over nothing is asked, so nothing has to be right.
    if (told?.open === false) present(() => show(make("p", {}, words.closed)));
    else stuck("dishonest");
    return;
  }
  const best = picked ?? wanted;
  speak(survey.languages.includes(best) ? best : survey.languages[0]);
  if (previewed) {
    introduction();
    return;
  }
  const unsent = waiting.get();
  // Not even what was drawn before is sent under an old version.
  if (file?.isOld(told)) stuck("outdated");
  else if (unsent) deliver(unsent);
  else if (!survey.open) present(() => show(title(), make("p", {}, words.closed)));
  else if (!mayDraw(survey)) stuck("drawnBefore");
  else if (survey.invited && !token) needToken();
  else introduction();
}

function needToken() {
  const take = (typed) => {
    token = typed;
    introduction();
  };
  present(() => {
    if (file) show(title(), make("p", {}, words.typeToken), tokenField(words, take));
    else show(title(), make("p", { role: "alert" }, words.needsToken));
  });
}

/** Somebody else may read another language. */
function nextPerson() {
  picked = null;
  begin();
}

function begin() {
  load().catch(() => stuck("stuck"));
}

begin();

// The screen before the questions: what the organiser receives and can know, with numbers counted from the recipe itself; and the
// practice question, which is never sent.

import { make, numberOf } from "./form.js";
import { people, recipeOf, row } from "./mixing.js";
import { NoRandomness, randomiseBlock } from "./randomise.js";

// The lightest level that has a name changes odds by a factor of 9; what changes them more is called light by the page.
const LIGHT = 9.01;

/** Whether all questions of a survey are mixed, some, or none. */
export function mixedPart(elements) {
  const asked = elements.filter((element) => element.attributes.length);
  if (asked.every((element) => element.private)) return "all";
  return asked.some((element) => element.private) ? "some" : "none";
}

/** A day as people write it: 31 March 2027, 31 marca 2027. Plain "en" would be American. */
export const day = (iso, language) =>
  new Date(iso + "T00:00").toLocaleDateString(language === "en" ? "en-GB" : language, { dateStyle: "long" });

/** A title before a sentence: with a colon, unless it ends as a sentence does. */
const led = (title) => (/[.?!:…]["”')]?$/u.test(title.trim()) ? title : `${title}:`);

/** "Of 10 people whose answer is No, 2 send Yes", of a question that is mixed. */
export function example(survey, elements, language, words) {
  // How often a second question that is put to people changes what is sent depends on them.
  const mixed = elements.filter((element) => element.private && !element.asked);
  // Yes or no is the simplest to follow.
  const shown = mixed.find((element) => element.type === "boolean") ?? mixed[0];
  if (!shown) return null;
  const recipe = recipeOf(survey, shown.attributes[0]);
  const weights = row(recipe, 0);
  // A label that nobody ever sends makes no example.
  const sent = weights.findIndex((weight, z) => z > 0 && z < weights.length - 1 && weight > 0);
  const counted = people(weights[sent], recipe.denominator);
  if (!counted) return null;
  const title = shown.title[language];
  const texts = shown.type === "checkbox" ? [words.no, words.yes] : shown.choices.map((choice) => choice.text[language]);
  const [first, second] = shown.grid ? [shown.grid.min, numberOf(shown, sent, words)] : [texts[0], texts[sent]];
  const [part] = shown.type === "checkbox" ? shown.choices : shown.rows;
  const of = part ? `${title} ${led(part.text[language])} ` : `${led(title)} `;
  return make("p", {}, of, (shown.odds > LIGHT ? words.exampleWeak : words.example)(first, second, ...counted));
}

/** What is sent for numbers that are not sent themselves: low or high, or one of a few numbers. */
function coarse(elements, language, words) {
  return elements
    .filter((element) => element.sent)
    .map((element) => {
      const [title, last] = [led(element.title[language]), element.sent.length - 1];
      const ends = [0, last].map((code) => numberOf(element, code, words));
      return make("p", {}, last === 1 ? words.bit(title) : words.coarse(title, last + 1, ...ends));
    });
}

/** What the organiser receives, and what it can and cannot find out. */
export function panel(survey, elements, language, words) {
  const part = mixedPart(elements);
  const weak = elements.filter((element) => element.private && element.odds > LIGHT);
  const links = { none: survey.invited ? words.linkNone : null, code: words.linkCode, register: words.linkRegister[part] };
  const kept = survey.linkage === "register" && survey.contacts_until;
  return make(
    "div",
    { class: "panel" },
    make("h2", {}, words.receives),
    make("p", {}, words.receivesText[part]),
    make("h2", {}, words.knows),
    make("p", {}, words.knowsText[part]),
    ...coarse(elements, language, words),
    example(survey, elements, language, words),
    weak.length ? make("p", {}, words.weak(weak.map((element) => element.title[language]).join("; "))) : null,
    links[survey.linkage] ? make("p", {}, links[survey.linkage], kept ? " " + words.contactsUntil(day(survey.contacts_until, language)) : "") : null,
    part === "none" ? null : make("p", { class: "strong" }, words.truth),
  );
}

/** A harmless question, which no survey asks, and a button that draws an example and says how often an answer would be changed. The draw is
 *  made as those of a yes or no in the survey, from random bytes of its own, and is shown and forgotten: what Send sends is drawn at Send.
 *  Where no yes or no is mixed there is nothing to draw like; then the mixing is only explained. */
export function practice(survey, elements, language, words) {
  const alike = elements.find((element) => element.private && element.type === "boolean" && !element.asked);
  const result = make("div", { role: "status" });
  const group = make("fieldset", {}, make("legend", {}, words.practiceQuestion));
  const inputs = [words.no, words.yes].map((text, i) => {
    const input = make("input", { type: "radio", name: "practice", id: `practice-${i}`, autocomplete: "off" });
    input.addEventListener("change", () => (result.textContent = ""));
    group.append(make("div", { class: "option" }, input, make("label", { for: `practice-${i}` }, text)));
    return input;
  });
  let times = 0;
  const explain = () => {
    const chosen = inputs.findIndex((input) => input.checked);
    if (chosen < 0) return [words.practiceFirst];
    if (!alike) return [words.practicePlain];
    const recipe = recipeOf(survey, alike.name);
    const counted = people(recipe.denominator - row(recipe, chosen)[chosen], recipe.denominator);
    const often = counted ? words.practiceResult(alike.title[language], ...counted) : words.practicePlain;
    const [sent] = randomiseBlock(recipe, [chosen]);
    times += 1;
    const labels = [words.no, words.yes, words.noAnswer];
    return [words.practiceDrawn(times, labels[chosen], labels[sent]), often];
  };
  const tell = () => {
    try {
      return explain();
    } catch (error) {
      if (error instanceof NoRandomness) return [words.noRandom];
      throw error;
    }
  };
  const done = make("button", { type: "button" }, alike ? words.practiceDraw : words.practiceExplain);
  done.addEventListener("click", () => result.replaceChildren(...tell().map((text) => make("p", {}, text))));
  return { group, result, done };
}

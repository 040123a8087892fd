// What a page may be asked to show and draw: docs/page-rules.md. The survey comes from a server that nobody has to believe. Whatever is
// not as the rules say is refused, and the page works on a copy that holds nothing the rules have not looked at.
// deniable/survey/page_rules.py says the same in Python; vectors/pages.json is run by both.

import { isIdentity, odds, oddsIfAsked, sentNumbers } from "./mixing.js";

/** The most that the reports of one input may change anyone's odds: what was thought of one person in 21 is then as likely as not. */
export const MOST_ODDS = 20;

const DEEPEST = 50;
const MOST_CHOICES = 500;
const MOST_VALUES = 1_000;
const FARTHEST = 1e15;
const LONGEST_NAME = 63;
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;
const LANGUAGE = /^[a-z]{2,3}$/;
const DAY = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/;
// Controls but tab and new line, halves of characters, and marks that turn round the order of what follows them.
const UNPRINTABLE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uD800-\uDFFF]/u;
// A text of these alone cannot be seen.
const BLANK =
  /^[\t\n \u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028\u2029\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]*$/u;
/** How many choices and rows each kind of question has. */
const KINDS = new Map([
  ["boolean", [2, 2, 0, 0]],
  ["radiogroup", [2, MOST_CHOICES, 0, 0]],
  ["dropdown", [2, MOST_CHOICES, 0, 0]],
  ["rating", [2, MOST_CHOICES, 0, 0]],
  ["age", [2, MOST_CHOICES, 0, 0]],
  ["number", [2, MOST_CHOICES, 0, 0]],
  ["checkbox", [1, MOST_CHOICES, 0, 0]],
  ["matrix", [2, MOST_CHOICES, 1, MOST_CHOICES]],
  ["information", [0, 0, 0, 0]],
  ["consent", [0, 0, 0, 0]],
]);
const SEVERAL = ["checkbox", "matrix"];

/** Why a survey is refused; `code` is the rule that it breaks. */
export class RefusedSurvey extends Error {
  constructor(code, about = "") {
    super(about ? `${code}: ${about}` : code);
    this.code = code;
  }
}

function must(holds, code, about) {
  if (!holds) throw new RefusedSurvey(code, about);
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : null) ?? null;

/** A list of lists and objects in each other; a key that an object has twice would be read one way here and another way elsewhere. */
function scan(text) {
  const open = [];
  let expectsKey = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]+|\\.)*"|[[\]{},:]/gs)) {
    if (token[0] === '"') {
      if (!expectsKey) continue;
      const key = JSON.parse(token);
      must(!open.at(-1).has(key), "json");
      open.at(-1).add(key);
      expectsKey = false;
    } else if (token === "{" || token === "[") {
      open.push(token === "{" ? new Set() : null);
      expectsKey = token === "{";
      must(open.length <= DEEPEST, "json");
    } else if (token === "}" || token === "]") {
      open.pop();
      expectsKey = false;
    } else if (token === ",") expectsKey = open.at(-1) instanceof Set;
  }
}

/** The bytes of an answer as JSON. */
export function readJson(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value = JSON.parse(text);
    scan(text);
    return value;
  } catch {
    throw new RefusedSurvey("json");
  }
}

const printable = (value) => typeof value === "string" && !UNPRINTABLE.test(value);

/** A text in every language of the survey. */
function text(given, languages, about) {
  must(isObject(given), "text", about);
  return Object.fromEntries(
    languages.map((language) => {
      const words = own(given, language);
      must(printable(words) && !BLANK.test(words), "text", about);
      return [language, words];
    }),
  );
}

const textOrNone = (given, languages, about) => (given === null ? null : text(given, languages, about));

function choices(given, least, most, languages, about) {
  must(Array.isArray(given) && given.length >= least && given.length <= most, "choices", about);
  const found = given.map((choice) => {
    must(isObject(choice) && printable(own(choice, "value")) && choice.value !== "no answer", "choices", about);
    return { value: choice.value, text: text(own(choice, "text"), languages, about) };
  });
  must(new Set(found.map((choice) => choice.value)).size === found.length, "choices", about);
  return found;
}

/** What a choice or a row adds to the name of its column. */
export const suffix = (value) => value.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, "_").replace(/^_+|_+$/g, "") || "_";

/** The columns of a question follow from what it is: the server does not choose them. */
function columns({ type, name, choices: boxes, rows }) {
  if (type === "information" || type === "consent") return [];
  if (!SEVERAL.includes(type)) return [name];
  return (type === "checkbox" ? boxes : rows).map(({ value }) => `${name}_${suffix(value)}`);
}

function grid(given, type, about) {
  if (given === null) return null;
  const [min, max, step] = isObject(given) ? ["min", "max", "step"].map((key) => own(given, key)) : [];
  const fits = type === "number" && [min, max, step].every((number) => Number.isSafeInteger(number) && Math.abs(number) <= FARTHEST);
  must(fits && step >= 1 && step <= max - min && (max - min) % step === 0 && (max - min) / step < MOST_VALUES, "grid", about);
  return { min, max, step };
}

/** Whether a question is shown may depend on an open answer alone: what is sent would tell a private one. */
function visibleIf(given, type, before, about) {
  if (given === null) return null;
  must(isObject(given) && type !== "consent", "condition", about);
  const [name, equal, value] = ["name", "equal", "value"].map((key) => own(given, key));
  const asked = before.find((other) => other.name === name);
  must(asked && !asked.private && asked.choices.length > 0 && !SEVERAL.includes(asked.type), "condition", about);
  must(typeof equal === "boolean" && asked.choices.some((choice) => choice.value === value), "condition", about);
  return { name, equal, value };
}

function element(given, languages, before) {
  must(isObject(given) && KINDS.has(own(given, "type")), "type");
  const [type, name, isPrivate] = ["type", "name", "private"].map((key) => own(given, key));
  must(typeof name === "string" && NAME.test(name), "name");
  const words = (key) => textOrNone(own(given, key), languages, name);
  must(typeof isPrivate === "boolean", "private", name);
  const numbers = grid(own(given, "grid"), type, name);
  const [least, most, fewest, greatest] = numbers ? [0, 0, 0, 0] : KINDS.get(type);
  const found = {
    type,
    name,
    title: text(own(given, "title"), languages, name),
    description: words("description"),
    private: isPrivate,
    choices: choices(own(given, "choices"), least, most, languages, name),
    rows: choices(own(given, "rows"), fewest, greatest, languages, name),
    grid: numbers,
    unit: words("unit"),
    minRateDescription: words("minRateDescription"),
    maxRateDescription: words("maxRateDescription"),
    asked: words("asked"),
    visibleIf: visibleIf(own(given, "visibleIf"), type, before, name),
  };
  must(type !== "boolean" || (found.choices[0].value === "no" && found.choices[1].value === "yes"), "choices", name);
  found.attributes = columns(found);
  must(!isPrivate || found.attributes.length > 0, "private", name);
  const told = own(given, "attributes");
  must(Array.isArray(told) && told.length === found.attributes.length && told.every((one, i) => one === found.attributes[i]), "attributes", name);
  must(found.attributes.every((one) => new TextEncoder().encode(one).length <= LONGEST_NAME), "attributes", name);
  must(found.asked === null || (isPrivate && numbers === null && type !== "dropdown" && !SEVERAL.includes(type)), "asked", name);
  found.labels = type === "checkbox" ? 3 : numbers ? (numbers.max - numbers.min) / numbers.step + 2 : found.choices.length + 1;
  return found;
}

function pages(given, languages) {
  must(Array.isArray(given) && given.length > 0, "pages");
  const before = [];
  return given.map((page) => {
    must(isObject(page) && Array.isArray(own(page, "elements")) && page.elements.length > 0, "pages");
    const title = textOrNone(own(page, "title"), languages, "pages");
    return {
      title,
      elements: page.elements.map((one) => {
        before.push(element(one, languages, before));
        return before.at(-1);
      }),
    };
  });
}

/** One name, one column, one input: names that differ in capitals alone are the same. */
function checkNames(elements) {
  const names = elements.flatMap((one) => [one.name, ...(SEVERAL.includes(one.type) ? one.attributes : [])]).map((name) => name.toLowerCase());
  must(new Set(names).size === names.length, "name_twice");
}

/** Every column is drawn once, by a recipe of its own: an open one is sent as it is, a private one within the limit. */
function recipe(given, elements) {
  must(isObject(given) && Array.isArray(own(given, "blocks")), "recipe");
  const blocks = new Map();
  for (const block of given.blocks) {
    const names = isObject(block) ? own(block, "attributes") : null;
    must(Array.isArray(names) && names.length === 1 && typeof names[0] === "string" && !blocks.has(names[0]), "recipe");
    blocks.set(names[0], block);
  }
  const asked = elements.flatMap((one) => one.attributes);
  must(asked.length > 0 && blocks.size === asked.length && asked.every((name) => blocks.has(name)), "recipe");
  for (const one of elements) {
    const each = one.attributes.map((name) => blocks.get(name));
    if (!one.private) must(each.every((block) => isIdentity(block, one.labels)), "not_identity", one.name);
    const changed = (block) => (one.asked ? oddsIfAsked(block, one.labels) : odds(block, one.labels, one.grid !== null));
    one.odds = Math.max(1, ...(one.private ? each.map(changed) : []));
    must(one.odds <= MOST_ODDS, "odds", one.name);
    one.sent = one.private && one.grid ? sentNumbers(each[0], one.grid) : null;
  }
  return { blocks: [...blocks.values()] };
}

/** The survey as the page may use it; throws RefusedSurvey. */
export function accepted(given) {
  must(isObject(given), "json");
  const languages = own(given, "languages");
  must(Array.isArray(languages) && languages.length > 0 && new Set(languages).size === languages.length, "languages");
  must(languages.every((one) => typeof one === "string" && LANGUAGE.test(one)), "languages");
  const found = { languages, version: own(given, "version") };
  must(Number.isSafeInteger(found.version) && found.version >= 1, "version");
  for (const key of ["title", "organiser", "contact", "otherWay"]) found[key] = text(own(given, key), languages, key);
  found.description = textOrNone(own(given, "description"), languages, "description");
  for (const key of ["open", "invited", "practice"]) must(typeof (found[key] = own(given, key)) === "boolean", "flag", key);
  for (const [key, allowed] of [["linkage", ["none", "code", "register"]], ["showSent", ["after", "never"]]]) {
    must(allowed.includes((found[key] = own(given, key))), "flag", key);
  }
  for (const key of ["closes", "contacts_until"]) {
    found[key] = own(given, key);
    must(found[key] === null || (typeof found[key] === "string" && DAY.test(found[key])), "day", key);
  }
  found.pages = pages(own(given, "pages"), languages);
  found.elements = found.pages.flatMap((page) => page.elements);
  checkNames(found.elements);
  found.recipe = recipe(own(given, "recipe"), found.elements);
  return found;
}

// Questions as form fields, and what was chosen as label numbers. Nothing here draws or sends.

/** An element with attributes and children; text is always text, never markup. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

/** The name of a question's fields on the page. A form's members (reset, remove, elements, ...) have no hyphen, so no question
 *  can take the place of one, whatever it is called. */
const called = (name) => `q-${name}`;

function option(type, name, value, words) {
  const id = `${called(name)}-${value}`;
  const input = make("input", { type, id, name: called(name), value, autocomplete: "off" });
  return { input, node: make("div", { class: "option" }, input, make("label", { for: id }, words)) };
}

/** Radio buttons for the label numbers 0, 1, ...; the last one is silence, as where none is pressed. */
function radios(name, texts, words) {
  const made = [...texts, words.noAnswer].map((text, code) => option("radio", name, code, text));
  const pressed = () => made.findIndex(({ input }) => input.checked);
  return { nodes: made.map(({ node }) => node), pressed, code: () => (pressed() < 0 ? texts.length : pressed()) };
}

function legend(element, language, words) {
  const note = element.private ? words.mixed : words.sentAsIs;
  // In a bdi, letters that run the other way cannot carry the page's own words with them.
  return make("legend", {}, make("bdi", {}, element.title[language]), " ", make("span", { class: element.private ? "mark" : "mark plain" }, note));
}

function described(element, language) {
  return element.description ? make("p", { class: "hint", id: `${called(element.name)}-hint` }, element.description[language]) : null;
}

function fieldset(element, language, words, ...children) {
  return make(
    "fieldset",
    { id: `field-${element.name}`, "aria-describedby": element.description ? `${called(element.name)}-hint` : null, tabindex: "-1" },
    legend(element, language, words),
    described(element, language),
    ...children,
  );
}

const inner = (title, ...children) => make("fieldset", { class: "inner" }, make("legend", {}, title), ...children);

/** Anyone who says "no answer" or "none of these" has nothing else ticked or written in that question, and the other way round. */
function keepApart(node, groups) {
  const isSet = (input) => (input.type === "text" ? input.value.trim() !== "" : input.checked);
  node.addEventListener("input", ({ target }) => {
    if (!isSet(target)) return;
    for (const input of groups.filter((group) => !group.includes(target)).flat()) {
      if (input.type === "text") input.value = "";
      else input.checked = false;
    }
  });
}

/** Several columns, each with radio buttons of its own: a row of a matrix, or a private box. Nothing that is pressed for one of them says
 *  anything of another: a shared "no answer" would be drawn from once for every column, and so would hardly be hidden. */
function severalRadios(element, language, words, titles, texts) {
  const each = element.attributes.map((name) => radios(name, texts, words));
  const node = fieldset(element, language, words, ...each.map(({ nodes }, i) => inner(titles[i].text[language], ...nodes)));
  return { node, codes: () => each.map(({ code }) => code()) };
}

function openBoxes(element, language, words) {
  const boxes = element.choices.map((choice, i) => option("checkbox", element.attributes[i], "1", choice.text[language]));
  const nothing = option("checkbox", `${element.name}--nothing`, "1", words.noneOfThese);
  const none = option("checkbox", `${element.name}--none`, "1", words.noAnswer);
  const node = fieldset(element, language, words, ...[...boxes, nothing, none].map((box) => box.node));
  keepApart(node, [boxes.map(({ input }) => input), [nothing.input], [none.input]]);
  // Boxes of which none is ticked are silence, unless "none of these" is.
  const answered = () => nothing.input.checked || boxes.some(({ input }) => input.checked);
  return { node, codes: () => boxes.map(({ input }) => (answered() ? Number(input.checked) : 2)) };
}

function numberField(element, language, words) {
  const { min, max, step } = element.grid;
  const id = `${called(element.name)}-number`;
  const input = make("input", {
    type: "text", inputmode: min < 0 ? null : "numeric", id, name: called(element.name), autocomplete: "off", "aria-describedby": `${id}-range`,
  });
  const none = option("checkbox", `${element.name}--none`, "1", words.noAnswer);
  const node = fieldset(
    element,
    language,
    words,
    make("p", { class: "hint", id: `${id}-range` }, words.orMore(min, max, step)),
    make("label", { for: id, class: "hidden" }, element.title[language]),
    input,
    element.unit ? make("span", { class: "unit" }, " " + element.unit[language]) : null,
    none.node,
  );
  keepApart(node, [[input], [none.input]]);
  /** The label number of what is written, stopped at the ends; text where it is no number of the grid. */
  const code = () => {
    const given = input.value.trim();
    if (none.input.checked || given === "") return element.labels - 1;
    if (!/^[-+]?\d+$/.test(given)) return words.errorNumber;
    const label = (Math.min(Math.max(Number(given), min), max) - min) / step;
    return Number.isInteger(label) ? label : words.errorStep(min, max, step);
  };
  return { node, codes: () => [code()] };
}

function dropdown(element, language, words) {
  const id = `${called(element.name)}-select`;
  const select = make("select", { id, name: called(element.name), autocomplete: "off" }, make("option", { value: "" }, "–"));
  [...element.choices.map((choice) => choice.text[language]), words.noAnswer].forEach((text, code) =>
    select.append(make("option", { value: code }, text)),
  );
  const node = fieldset(element, language, words, make("label", { for: id, class: "hidden" }, element.title[language]), select);
  return { node, codes: () => [select.selectedIndex < 1 ? element.choices.length : select.selectedIndex - 1] };
}

function singleChoice(element, language, words) {
  const texts = element.choices.map((choice) => choice.text[language]);
  const own = radios(element.name, texts, words);
  const second = element.asked ? radios(`${element.name}--other`, texts, words) : null;
  const end = (at, described) => (described ? make("p", { class: "hint" }, `${texts.at(at)}: ${described[language]}`) : null);
  const node = fieldset(
    element,
    language,
    words,
    end(0, element.minRateDescription),
    ...own.nodes.slice(0, -1),
    end(-1, element.maxRateDescription),
    own.nodes.at(-1),
    second ? inner(element.asked[language], make("p", { class: "hint" }, words.unrelated), ...second.nodes) : null,
  );
  return { node, codes: () => [own.code()], other: () => (second && second.pressed() >= 0 ? second.pressed() : null) };
}

function consent(element, language) {
  const box = option("checkbox", element.name, "yes", element.title[language]);
  const node = make("div", { id: `field-${element.name}`, class: "consent", tabindex: "-1" }, box.node, described(element, language));
  return { node, codes: () => [], given: () => box.input.checked };
}

function information(element, language) {
  const title = make("h2", {}, element.title[language]);
  const node = make("section", { id: `field-${element.name}`, class: "information" }, title, described(element, language));
  return { node, codes: () => [] };
}

function made(element, language, words) {
  switch (element.type) {
    case "information":
      return information(element, language);
    case "consent":
      return consent(element, language);
    case "dropdown":
      return dropdown(element, language, words);
    case "checkbox":
      return element.private
        ? severalRadios(element, language, words, element.choices, [words.no, words.yes])
        : openBoxes(element, language, words);
    case "matrix": {
      const texts = element.choices.map((choice) => choice.text[language]);
      return severalRadios(element, language, words, element.rows, texts);
    }
    default:
      return (element.grid ? numberField : singleChoice)(element, language, words);
  }
}

/** One element of the questionnaire as form fields. `codes()` is what is chosen in them, a label number for each column, read from the
 *  very inputs that were made for it: nothing on the page is looked up by a name that something else might have, too. */
export function field(element, language, words) {
  return { element, ...made(element, language, words) };
}

/** Whether a question is shown: that depends only on open questions, of which one that is hidden has no answer. */
export function isVisible({ element }, fields) {
  const rule = element.visibleIf;
  if (!rule) return true;
  const asked = fields.find((other) => other.element.name === rule.name);
  const chosen = isVisible(asked, fields) ? asked.element.choices[asked.codes()[0]]?.value : undefined;
  return (chosen === rule.value) === rule.equal;
}

/** Every column's true label number, and what is wrong. Whatever is left open or not shown is silence, a label like any other. */
export function read(fields, words, language) {
  const answers = {};
  const others = {};
  const problems = [];
  for (const one of fields) {
    const { element, node } = one;
    const shown = isVisible(one, fields);
    const wrong = (text) => problems.push({ name: element.name, node, title: element.title[language], text });
    if (one.given && !one.given()) wrong(words.errorConsent);
    const codes = one.codes();
    element.attributes.forEach((name, i) => {
      answers[name] = shown ? codes[i] : element.labels - 1;
      if (typeof answers[name] === "string") wrong(answers[name]);
    });
    // Left open or not shown, the second answer is drawn from its declared table, as where it is not asked at all.
    const other = shown && one.other ? one.other() : null;
    if (other !== null) others[element.name] = other;
  }
  return { answers, others, problems };
}

/** What a label number that is sent for a number means: the number; or low or high, where nothing else is sent. */
export function numberOf({ grid, sent, labels }, code, words) {
  if (code >= (sent ? sent.length : labels - 1)) return words.noAnswer;
  if (!sent) return String(grid.min + code * grid.step);
  return sent.length === 2 ? [words.low, words.high][code] : String(sent[code]);
}

/** What a label number of a column means, for "What was sent?". */
export function labelOf(element, name, code, language, words) {
  const at = element.attributes.indexOf(name);
  if (element.type === "checkbox") return `${element.choices[at].text[language]}: ${[words.no, words.yes, words.noAnswer][code]}`;
  if (element.grid) return numberOf(element, code, words);
  const shown = code < element.choices.length ? element.choices[code].text[language] : words.noAnswer;
  return element.rows.length ? `${element.rows[at].text[language]}: ${shown}` : shown;
}

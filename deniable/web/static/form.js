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

/** The label number of silence: the last one. */
const silence = (element) => element.choices.length;

/** The name of a question's fields on the page. A form's members (reset, remove, elements, ...) have no hyphen, so no question
 *  can take the place of one, whatever it is called. */
export const called = (name) => `q-${name}`;

function option(type, name, value, words) {
  const id = `${called(name)}-${value}`;
  return make(
    "div",
    { class: "option" },
    make("input", { type, id, name: called(name), value, autocomplete: "off" }),
    make("label", { for: id }, words),
  );
}

function legend(element, language, words) {
  const note = element.private ? words.mixed : words.sentAsIs;
  return make("legend", {}, element.title[language], " ", make("span", { class: element.private ? "mark" : "mark plain" }, note));
}

const radios = (name, choices, language) => choices.map((choice, code) => option("radio", name, code, choice.text[language]));
const silentRadio = (name, choices, words) => option("radio", name, choices.length, words.noAnswer);

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

function askedToo(element, language, words) {
  if (!element.asked) return [];
  return [
    make(
      "fieldset",
      { class: "inner" },
      make("legend", {}, element.asked[language]),
      make("p", { class: "hint" }, words.unrelated),
      ...radios(`${element.name}--other`, element.choices, language),
      silentRadio(`${element.name}--other`, element.choices, words),
    ),
  ];
}

/** One element of the questionnaire as form fields. */
export function field(element, language, words) {
  switch (element.type) {
    case "information":
      return make("section", { id: `field-${element.name}`, class: "information" }, make("h2", {}, element.title[language]), described(element, language));
    case "consent":
      return make(
        "div",
        { id: `field-${element.name}`, class: "consent", tabindex: "-1" },
        option("checkbox", element.name, "yes", element.title[language]),
        described(element, language),
      );
    case "dropdown": {
      const id = `${called(element.name)}-select`;
      const select = make("select", { id, name: called(element.name), autocomplete: "off" }, make("option", { value: "" }, "–"));
      element.choices.forEach((choice, code) => select.append(make("option", { value: code }, choice.text[language])));
      select.append(make("option", { value: silence(element) }, words.noAnswer));
      return fieldset(element, language, words, make("label", { for: id, class: "hidden" }, element.title[language]), select);
    }
    case "checkbox":
      return fieldset(
        element,
        language,
        words,
        ...element.choices.map((choice, i) => option("checkbox", element.attributes[i], "1", choice.text[language])),
        option("checkbox", `${element.name}--nothing`, "1", words.noneOfThese),
        option("checkbox", `${element.name}--none`, "1", words.noAnswer),
      );
    case "matrix":
      return fieldset(
        element,
        language,
        words,
        ...element.rows.map((row, i) =>
          make(
            "fieldset",
            { class: "inner" },
            make("legend", {}, row.text[language]),
            ...radios(element.attributes[i], element.choices, language),
            silentRadio(element.attributes[i], element.choices, words),
          ),
        ),
      );
    default:
      if (element.grid) {
        const { min, max, step } = element.grid;
        const id = `${called(element.name)}-number`;
        return fieldset(
          element,
          language,
          words,
          make("p", { class: "hint", id: `${id}-range` }, words.orMore(min, max, step)),
          make("label", { for: id, class: "hidden" }, element.title[language]),
          make("input", { type: "text", inputmode: min < 0 ? null : "numeric", id, name: called(element.name), autocomplete: "off", "aria-describedby": `${id}-range` }),
          element.unit ? make("span", { class: "unit" }, " " + element.unit[language]) : null,
          option("checkbox", `${element.name}--none`, "1", words.noAnswer),
        );
      }
      return fieldset(
        element,
        language,
        words,
        element.minRateDescription ? make("p", { class: "hint" }, `${element.choices[0].text[language]}: ${element.minRateDescription[language]}`) : null,
        ...radios(element.name, element.choices, language),
        element.maxRateDescription
          ? make("p", { class: "hint" }, `${element.choices.at(-1).text[language]}: ${element.maxRateDescription[language]}`)
          : null,
        silentRadio(element.name, element.choices, words),
        ...askedToo(element, language, words),
      );
  }
}

/** Whoever says "no answer" or "none of these" has nothing else ticked or written in that question, and the other way round. */
export function keepApart(input) {
  const group = input.closest("fieldset");
  const kind = (other) => ["--none", "--nothing"].find((end) => other.name.endsWith(end)) ?? "";
  if (!group || (input.type === "checkbox" ? !input.checked : input.type !== "text" || input.value.trim() === "")) return;
  for (const other of group.querySelectorAll("input")) {
    if (other === input || kind(other) === kind(input)) continue;
    if (other.type === "checkbox") other.checked = false;
    if (other.type === "text") other.value = "";
  }
}

const picked = (form, name) => form.querySelector(`[name="${called(name)}"]:checked`);
const written = (form, name) => form.querySelector(`[name="${called(name)}"]`).value.trim();

/** The label number of what is written, stopped at the ends; text where it is no number of the grid. */
function numberCode(form, element, words) {
  const { min, max, step } = element.grid;
  const given = written(form, element.name);
  if (picked(form, `${element.name}--none`) || given === "") return (max - min) / step + 1;
  if (!/^[-+]?\d+$/.test(given)) return words.errorNumber;
  const code = (Math.min(Math.max(Number(given), min), max) - min) / step;
  return Number.isInteger(code) ? code : words.errorStep(min, max, step);
}

/** Whether a question is shown: that depends only on questions without privacy. */
export function isVisible(element, elements, form) {
  const rule = element.visibleIf;
  if (!rule) return true;
  const asked = elements.find((other) => other.name === rule.name);
  if (!isVisible(asked, elements, form)) return !rule.equal;
  const chosen = asked.type === "dropdown" ? written(form, rule.name) : picked(form, rule.name)?.value;
  const same = chosen !== undefined && chosen !== "" && asked.choices[Number(chosen)]?.value === rule.value;
  return same === rule.equal;
}

/** Every column's true label number, and what is wrong. Whatever is left open or not shown is silence, a label like any other:
 *  also a question with boxes of which none is ticked, unless "none of these" is. */
export function read(form, elements, words, language) {
  const answers = {};
  const others = {};
  const problems = [];
  const wrong = (element, text) => problems.push({ name: element.name, title: element.title[language], text });
  for (const element of elements) {
    const shown = isVisible(element, elements, form);
    if (element.type === "information") continue;
    if (element.type === "consent") {
      if (!picked(form, element.name)) wrong(element, words.errorConsent);
    } else if (element.type === "checkbox") {
      const ticked = element.attributes.map((name) => Boolean(picked(form, name)));
      const answered = shown && (ticked.includes(true) || picked(form, `${element.name}--nothing`));
      element.attributes.forEach((name, i) => (answers[name] = answered ? Number(ticked[i]) : 2));
    } else if (element.grid) {
      const code = shown ? numberCode(form, element, words) : (element.grid.max - element.grid.min) / element.grid.step + 1;
      if (typeof code === "string") wrong(element, code);
      answers[element.name] = code;
    } else if (element.type === "dropdown") {
      const value = written(form, element.name);
      answers[element.name] = !shown || value === "" ? silence(element) : Number(value);
    } else {
      for (const name of element.attributes) {
        const input = picked(form, name);
        answers[name] = shown && input ? Number(input.value) : silence(element);
      }
      // Left open or not shown, the second answer is drawn from its declared table, as where it is not asked at all.
      const other = element.asked && shown ? picked(form, `${element.name}--other`) : null;
      if (other) others[element.name] = Number(other.value);
    }
  }
  return { answers, others, problems };
}

/** What a label number of a column means, for "What was sent?". */
export function labelOf(element, name, code, language, words) {
  if (element.type === "checkbox") {
    const box = element.choices[element.attributes.indexOf(name)].text[language];
    return `${box}: ${["✗", "✓", words.noAnswer][code]}`;
  }
  if (element.grid) {
    const value = element.grid.min + code * element.grid.step;
    return value > element.grid.max ? words.noAnswer : String(value);
  }
  const shown = code < element.choices.length ? element.choices[code].text[language] : words.noAnswer;
  return element.rows.length ? `${element.rows[element.attributes.indexOf(name)].text[language]}: ${shown}` : shown;
}

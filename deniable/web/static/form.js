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

function option(type, name, value, words, checked = false) {
  const id = `${name}-${value}`;
  return make(
    "div",
    { class: "option" },
    make("input", { type, id, name, value, checked, autocomplete: "off" }),
    make("label", { for: id }, words),
  );
}

function legend(element, language, words) {
  const note = element.private ? words.mixed : words.sentAsIs;
  return make("legend", {}, element.title[language], " ", make("span", { class: element.private ? "mark" : "mark plain" }, note));
}

function radios(name, choices, language, words, silent) {
  const options = choices.map((choice, code) => option("radio", name, code, choice.text[language]));
  if (silent) options.push(option("radio", name, choices.length, words.noAnswer));
  return options;
}

function described(element, language) {
  return element.description ? make("p", { class: "hint", id: `${element.name}-hint` }, element.description[language]) : null;
}

function fieldset(element, language, words, ...children) {
  return make(
    "fieldset",
    { id: `field-${element.name}`, "aria-describedby": element.description ? `${element.name}-hint` : null, tabindex: "-1" },
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
      ...radios(`${element.name}--other`, element.choices, language, words, true),
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
      const id = `${element.name}-select`;
      const select = make("select", { id, name: element.name, autocomplete: "off" }, make("option", { value: "" }, "–"));
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
            ...radios(element.attributes[i], element.choices, language, words, true),
          ),
        ),
      );
    default:
      if (element.grid) {
        const { min, max, step } = element.grid;
        const id = `${element.name}-number`;
        return fieldset(
          element,
          language,
          words,
          make("p", { class: "hint", id: `${id}-range` }, words.orMore(min, max)),
          make("label", { for: id, class: "hidden" }, element.title[language]),
          make("input", { type: "text", inputmode: "numeric", id, name: element.name, autocomplete: "off", "aria-describedby": `${id}-range`, "data-step": step }),
          element.unit ? make("span", { class: "unit" }, " " + element.unit[language]) : null,
          option("checkbox", `${element.name}--none`, "1", words.noAnswer),
        );
      }
      return fieldset(
        element,
        language,
        words,
        element.minRateDescription ? make("p", { class: "hint" }, `${element.choices[0].text[language]}: ${element.minRateDescription[language]}`) : null,
        make("div", { class: element.type === "rating" ? "options rating" : "options" }, ...radios(element.name, element.choices, language, words, true)),
        element.maxRateDescription
          ? make("p", { class: "hint" }, `${element.choices.at(-1).text[language]}: ${element.maxRateDescription[language]}`)
          : null,
        ...askedToo(element, language, words),
      );
  }
}

const picked = (form, name) => form.querySelector(`[name="${name}"]:checked`);

function numberCode(form, element, words, problems) {
  const { min, max, step } = element.grid;
  const last = Math.floor((max - min) / step) + 1;
  const written = form.querySelector(`[name="${element.name}"]`).value.trim();
  if (picked(form, `${element.name}--none`) || written === "") return last;
  if (!/^[-+]?\d+$/.test(written)) {
    problems.push({ name: element.name, text: words.errorNumber });
    return last;
  }
  return Math.round((Math.min(Math.max(Number(written), min), max) - min) / step);
}

/** Whether a question is shown: that depends only on questions without privacy. */
export function isVisible(element, elements, form) {
  const rule = element.visibleIf;
  if (!rule) return true;
  const asked = elements.find((other) => other.name === rule.name);
  if (!isVisible(asked, elements, form)) return !rule.equal;
  const chosen = asked.type === "dropdown" ? form.querySelector(`[name="${rule.name}"]`)?.value : picked(form, rule.name)?.value;
  const same = chosen !== undefined && chosen !== "" && asked.choices[Number(chosen)]?.value === rule.value;
  return same === rule.equal;
}

/** Every column's true label number, and what is wrong. Whatever is left open or not shown is silence, a label like any other. */
export function read(form, elements, words) {
  const answers = {};
  const others = {};
  const problems = [];
  for (const element of elements) {
    const shown = isVisible(element, elements, form);
    if (element.type === "information") continue;
    if (element.type === "consent") {
      if (!picked(form, element.name)) problems.push({ name: element.name, text: words.errorConsent });
    } else if (element.type === "checkbox") {
      const silent = !shown || picked(form, `${element.name}--none`);
      for (const name of element.attributes) answers[name] = silent ? 2 : picked(form, name) ? 1 : 0;
    } else if (element.grid) {
      const code = numberCode(form, element, words, shown ? problems : []);
      answers[element.name] = shown ? code : Math.floor((element.grid.max - element.grid.min) / element.grid.step) + 1;
    } else if (element.type === "dropdown") {
      const value = form.querySelector(`[name="${element.name}"]`).value;
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

// For every survey (one JSON text a line): the rule by which the page refuses it; of accepted ones, what the page would tell of each private
// column, and how often it sends which label for a true one.
import { readFileSync } from "node:fs";

const [folder, file, draws] = process.argv.slice(2);
const { accepted, readJson } = await import(`${folder}/rules.js`);
const { recipeOf, row } = await import(`${folder}/mixing.js`);
const { integerBelow, randomise } = await import(`${folder}/randomise.js`);

function sent(survey, element, name) {
  const truth = integerBelow(element.labels);
  const counts = new Array(row(recipeOf(survey, name), truth).length).fill(0);
  const answers = {};
  for (const other of survey.elements) for (const column of other.attributes) answers[column] = other.labels - 1;
  answers[name] = truth;
  const only = { blocks: [recipeOf(survey, name)] };
  for (let i = 0; i < Number(draws); i++) counts[randomise(only, answers)[name]]++;
  const recipe = recipeOf(survey, name);
  return { shown: row(recipe, truth).map((weight) => weight / recipe.denominator), counts, odds: element.odds };
}

for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
  let found;
  try {
    const survey = accepted(readJson(new TextEncoder().encode(JSON.parse(line))));
    const asked = survey.elements.filter((element) => element.private);
    const element = asked.length ? asked[integerBelow(asked.length)] : null;
    found = { refused: null, ...(element ? sent(survey, element, element.attributes[integerBelow(element.attributes.length)]) : {}) };
  } catch (error) {
    found = { refused: error.code ?? String(error) };
  }
  console.log(JSON.stringify(found));
}

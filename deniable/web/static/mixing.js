// What a recipe does, worked out from the recipe itself: the page asks nothing by a recipe that would give an answer away,
// and whatever it tells people about the mixing is counted here, from the numbers that randomise.js draws by.

import { recipeInputs } from "./randomise.js";

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** In how many of the recipe's `denominator` cases the true label `code` is reported as each label. */
export function row(recipe, code) {
  switch (recipe.law) {
    case "table":
      return recipe.weights[code];
    case "mixture":
      return recipe.replacement.map((weight, z) => (z === code ? weight + recipe.diagonal : weight));
    case "shift": {
      const weights = new Array(recipe.outputs).fill(0);
      recipe.kernel.forEach((weight, i) => {
        weights[Math.min(Math.max(code + recipe.lowest + i, 0), recipe.outputs - 1)] += weight;
      });
      return weights;
    }
    case "silent": {
      const turned = sum(recipe.even);
      if (code === recipeInputs(recipe.inner)) return [...recipe.even, recipe.denominator - turned];
      const times = (recipe.denominator - turned) / recipe.inner.denominator;
      return [...row(recipe.inner, code).map((weight) => weight * times), turned];
    }
    default:
      throw new Error("unknown law: " + recipe.law);
  }
}

/** How many times a report can change anyone's odds at most. Infinity where some report rules an answer out, or where the
 *  numbers are no recipe for so many labels. */
export function odds(recipe, labels) {
  const none = Infinity;
  if (!Number.isSafeInteger(recipe.denominator) || recipeInputs(recipe) !== labels) return none;
  const low = new Array(labels).fill(Infinity);
  const high = new Array(labels).fill(0);
  for (let code = 0; code < labels; code++) {
    const weights = row(recipe, code);
    if (weights.length !== labels || weights.some((weight) => !Number.isSafeInteger(weight) || weight < 0)) return none;
    if (sum(weights) !== recipe.denominator) return none;
    weights.forEach((weight, z) => {
      low[z] = Math.min(low[z], weight);
      high[z] = Math.max(high[z], weight);
    });
  }
  // A label that nobody ever reports gives nobody away.
  return Math.max(...high.map((most, z) => (most === 0 ? 1 : most / low[z])));
}

/** How many labels a column of this question has, "no answer" among them. */
export function labelsOf(element) {
  if (element.type === "checkbox") return 3;
  if (element.grid) return Math.floor((element.grid.max - element.grid.min) / element.grid.step) + 2;
  return element.choices.length + 1;
}

/** The recipe of one column. */
export const recipeOf = (survey, name) => survey.recipe.blocks.find((block) => block.attributes.includes(name));

/** The most that a report can change anyone's odds in a question; Infinity where it is not mixed as promised. */
export function worstOdds(survey, element) {
  return Math.max(
    ...element.attributes.map((name) => {
      const recipe = recipeOf(survey, name);
      // The second question that a person answers is drawn for by this law alone.
      if (recipe.attributes.length !== 1 || (element.asked && recipe.law !== "mixture")) return Infinity;
      return odds(recipe, labelsOf(element));
    }),
  );
}

/** Whether everything that is shown as mixed is mixed so that no report proves an answer, and nothing else is drawn. */
export function mixesAsPromised(survey) {
  try {
    const elements = survey.pages.flatMap((page) => page.elements);
    const asked = elements.flatMap((element) => element.attributes);
    const drawn = survey.recipe.blocks.flatMap((block) => block.attributes);
    const once = new Set(drawn).size === drawn.length && new Set(asked).size === asked.length;
    if (!once || drawn.length !== asked.length || asked.some((name) => !drawn.includes(name))) return false;
    return elements.every((element) => !element.private || (element.attributes.length > 0 && Number.isFinite(worstOdds(survey, element))));
  } catch {
    return false;
  }
}

/** A share as "n of so many people": as few people as give at least one, and nearly the right number. */
export function people(weight, denominator) {
  for (let of = 10; of <= 1e12; of *= 10) {
    const exact = (weight / denominator) * of;
    const n = Math.round(exact);
    if (n >= 1 && Math.abs(n - exact) <= 0.09 * exact) return [n, of];
  }
  return null;
}

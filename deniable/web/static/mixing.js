// What a recipe does, worked out from the recipe itself: whatever the page tells people about the mixing is counted here, from the
// numbers that randomise.js draws by. The rules of docs/page-rules.md for one column; deniable/survey/recipe_rows.py says the same.

const LONGEST_KERNEL = 25_000;
const FARTHEST = 1_000_000;

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const whole = (number, least, most = Number.MAX_SAFE_INTEGER) => Number.isSafeInteger(number) && number >= least && number <= most;
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
// What has no minus sign anywhere can be added up: beyond 2^53 the sum is no longer exact, but then it is too large in any case.
const wholes = (numbers, count) =>
  Array.isArray(numbers) && numbers.length >= 1 && numbers.length <= LONGEST_KERNEL &&
  (count === null || numbers.length === count) && numbers.every((number) => whole(number, 0));

/** Whether the numbers are a recipe for so many labels that randomise.js draws by exactly as `row` counts. With `otherReports` a table may
 *  have any number of columns: numbers may be sent more coarsely than they are answered. */
export function isRecipe(recipe, labels, otherReports = false) {
  if (!isObject(recipe) || !whole(recipe.denominator, 1)) return false;
  const { denominator } = recipe;
  switch (recipe.law) {
    case "table": {
      if (!Array.isArray(recipe.weights) || recipe.weights.length !== labels) return false;
      const [first] = recipe.weights;
      const columns = otherReports && Array.isArray(first) && first.length > 1 ? first.length : labels;
      return recipe.weights.every((weights) => wholes(weights, columns) && sum(weights) === denominator);
    }
    case "mixture":
      return (
        wholes(recipe.replacement, labels) && whole(recipe.diagonal, -Number.MAX_SAFE_INTEGER) &&
        whole(sum(recipe.replacement), 0) && sum(recipe.replacement) + recipe.diagonal === denominator &&
        recipe.replacement.every((weight) => weight + recipe.diagonal >= 0)
      );
    case "shift":
      return (
        recipe.inputs === labels && recipe.outputs === labels && whole(recipe.lowest, -FARTHEST, FARTHEST) &&
        wholes(recipe.kernel, null) && sum(recipe.kernel) === denominator
      );
    case "silent": {
      const { even, inner } = recipe;
      if (!isObject(inner) || inner.law === "silent" || labels < 2 || !wholes(even, labels - 1) || !isRecipe(inner, labels - 1)) return false;
      // Draws of an answer are taken modulo the inner denominator: only whole multiples of it are shared out as the inner recipe says.
      const answers = denominator - sum(even);
      return answers >= inner.denominator && answers % inner.denominator === 0;
    }
    default:
      return false;
  }
}

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
      if (code === recipe.even.length) return [...recipe.even, recipe.denominator - turned];
      const times = (recipe.denominator - turned) / recipe.inner.denominator;
      return [...row(recipe.inner, code).map((weight) => weight * times), turned];
    }
    default:
      throw new Error("unknown law: " + recipe.law);
  }
}

/** How many times a report can change anyone's odds at most. Infinity where some report rules an answer out, or where the
 *  numbers are no recipe for so many labels. */
export function odds(recipe, labels, otherReports = false) {
  if (!isRecipe(recipe, labels, otherReports)) return Infinity;
  const reports = row(recipe, 0).length;
  const low = new Array(reports).fill(Infinity);
  const high = new Array(reports).fill(0);
  for (let code = 0; code < labels; code++) {
    row(recipe, code).forEach((weight, z) => {
      low[z] = Math.min(low[z], weight);
      high[z] = Math.max(high[z], weight);
    });
  }
  // A label that nobody ever reports gives nobody away. JSON may hold -0, and dividing by that would make endless odds look small.
  return Math.max(...high.map((most, z) => (most === 0 ? 1 : low[z] > 0 ? most / low[z] : Infinity)));
}

/** The same where a second question is put to the person: of the cases that do not tell the first answer, half send the second and half a
 *  label of the declared table (randomiseAsked). The odds of the first answer are those for an organiser who knows the second; those of
 *  the second count too, for a server may swap the questions. */
export function oddsIfAsked(recipe, labels) {
  if (!isRecipe(recipe, labels) || recipe.law !== "mixture" || recipe.diagonal < 1) return Infinity;
  const rarest = Math.min(...recipe.replacement);
  return rarest > 0 ? 1 + Math.max(2 * recipe.diagonal, sum(recipe.replacement)) / rarest : Infinity;
}

/** Whether every answer is sent as it is. */
export function isIdentity(recipe, labels) {
  if (!isRecipe(recipe, labels)) return false;
  for (let code = 0; code < labels; code++) if (row(recipe, code)[code] !== recipe.denominator) return false;
  return true;
}

/** The recipe of one column. */
export const recipeOf = (survey, name) => survey.recipe.blocks.find((block) => block.attributes[0] === name);

/** The numbers that may be sent for a number of a grid, where they are not those that may be answered; null where they are. Each stands in
 *  the middle of the answers that make it likelier (rounded to a whole one): the first answer makes `width` of them likelier. */
export function sentNumbers(recipe, { min, max, step }) {
  const weights = row(recipe, 0).slice(0, -1);
  if (weights.length === (max - min) / step + 1) return null;
  const most = Math.max(...weights);
  const width = weights.filter((weight) => weight === most).length;
  const apart = (max - min) / Math.max(weights.length - width, 1);
  return weights.map((_, z) => Math.round(min + (z - (width - 1) / 2) * apart));
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

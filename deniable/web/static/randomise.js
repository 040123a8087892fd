// Deniable: answers are randomised here, in the browser, before anything is sent.
//
// A recipe (written by Deniable in Python) holds whole numbers: in how many of `denominator` equally likely cases an
// answer is reported as which label. One draw is a whole number below the denominator, from bytes of the browser's
// cryptographic generator; it picks the case. No floating-point probability, no other source of randomness, no
// dependency. Labels are numbered from 0; `code` is the number of the true answer.

/** There are no random numbers, or none that vary. */
export class NoRandomness extends Error {}

// A candidate is thrown away with a chance below one half: that many in a row never happen (2^-128) unless the bytes do not vary.
const MOST_CANDIDATES = 128;

/** Bytes of the browser's cryptographic generator, or an error: there is no second-best source. */
export function secureBytes(n) {
  const source = globalThis.crypto;
  if (!source || typeof source.getRandomValues !== "function") {
    throw new NoRandomness("This browser has no cryptographic random numbers (crypto.getRandomValues), so nothing was sent.");
  }
  return source.getRandomValues(new Uint8Array(n));
}

/** Throws where the generator is broken in a way that can be seen: all zeros, all ones, any constant, or the same again and again. Of one
 *  that works, two of eight times 16 bytes are alike with a chance below 2^-123, and all bytes of one of them with one below 2^-117. */
export function checkRandomness(bytes = secureBytes) {
  const drawn = Array.from({ length: 8 }, () => Array.from(bytes(16)));
  const alike = new Set(drawn.map(String)).size < drawn.length;
  if (alike || drawn.some((one) => one.length !== 16 || one.every((byte) => byte === one[0]))) {
    throw new NoRandomness("The random numbers of this browser do not vary, so nothing was sent.");
  }
}

/** A whole number below `denominator`, every one equally likely: candidates past its largest multiple are thrown away. */
export function integerBelow(denominator, bytes = secureBytes) {
  if (!Number.isSafeInteger(denominator) || denominator < 1) throw new Error("bad denominator: " + denominator);
  const width = [1, 2, 4, 8].find((w) => denominator <= 2 ** (8 * w));
  const limit = Math.floor(2 ** Math.min(8 * width, 53) / denominator) * denominator;
  for (let tried = 0; tried < MOST_CANDIDATES; tried++) {
    const b = bytes(width);
    let candidate = b[0];
    if (width > 1) candidate += b[1] * 2 ** 8;
    if (width > 2) candidate += b[2] * 2 ** 16 + b[3] * 2 ** 24;
    // Of 8 bytes only 53 bits are kept: as many as a number holds exactly.
    if (width > 4) candidate += b[4] * 2 ** 32 + b[5] * 2 ** 40 + (b[6] & 31) * 2 ** 48;
    if (candidate < limit) return candidate % denominator;
  }
  throw new NoRandomness("The random numbers of this browser do not vary, so nothing was sent.");
}

/** The first label whose running sum of weights exceeds the draw. */
function pick(weights, draw) {
  let z = 0;
  while (draw >= weights[z]) draw -= weights[z++];
  return z;
}

/** The reported label for a true one, given a draw below the recipe's denominator. */
export function choose(recipe, code, draw) {
  switch (recipe.law) {
    case "table":
      return pick(recipe.weights[code], draw);
    case "mixture": {
      // The cases of the true label come first, then those of the others in order.
      const own = recipe.diagonal + recipe.replacement[code];
      if (draw < own) return code;
      return pick(recipe.replacement.map((weight, z) => (z === code ? 0 : weight)), draw - own);
    }
    case "shift": {
      const moved = code + recipe.lowest + pick(recipe.kernel, draw);
      return Math.min(Math.max(moved, 0), recipe.outputs - 1);
    }
    case "silent": {
      // The last label is "no answer". In `turned` cases an answer becomes silence, and silence an answer.
      const silence = recipe.even.length;
      const turned = recipe.even.reduce((sum, weight) => sum + weight, 0);
      if (code === recipeInputs(recipe.inner)) return draw < turned ? pick(recipe.even, draw) : silence;
      return draw < recipe.denominator - turned ? choose(recipe.inner, code, draw % recipe.inner.denominator) : silence;
    }
    default:
      throw new Error("unknown law: " + recipe.law);
  }
}

/** How many true labels a recipe knows. */
export function recipeInputs(recipe) {
  if (recipe.law === "table") return recipe.weights.length;
  if (recipe.law === "mixture") return recipe.replacement.length;
  if (recipe.law === "shift") return recipe.inputs;
  return recipeInputs(recipe.inner) + 1;
}

/** One block's true labels become reported ones: one label, or those of a group that shares its draw. */
export function randomiseBlock(recipe, codes, bytes = secureBytes) {
  const sizes = recipe.law === "group" ? recipe.sizes : [recipeInputs(recipe)];
  if (codes.length !== sizes.length || codes.some((code, i) => !Number.isInteger(code) || code < 0 || code >= sizes[i])) {
    throw new Error("not an answer of this question: " + JSON.stringify(codes));
  }
  if (recipe.law !== "group") return [choose(recipe, codes[0], integerBelow(recipe.denominator, bytes))];
  const told = integerBelow(recipe.denominator, bytes) < recipe.tell;
  let instead;
  const below = (weights) => integerBelow(weights.reduce((sum, weight) => sum + weight, 0), bytes);
  // The replacement is drawn whether it is used or not, so that the work done says nothing.
  if (recipe.flips) instead = codes.map((code) => 1 - code);
  else if (recipe.cells) instead = recipe.cells[pick(recipe.weights, below(recipe.weights))];
  else instead = recipe.innocuous.map((weights) => pick(weights, below(weights)));
  return told ? codes.slice() : instead.slice();
}

/** An unrelated question that the person answers too: the draw says which of the two answers is sent. Of the cases that do not tell the
 *  first answer, half send the second and half a label of the declared table: else, for an organiser who knows the second answer, every
 *  other report would prove the first. */
export function randomiseAsked(recipe, code, other, bytes = secureBytes) {
  const labels = recipeInputs(recipe);
  if (recipe.law !== "mixture" || [code, other].some((c) => !Number.isInteger(c) || c < 0 || c >= labels)) {
    throw new Error("not an answer of this question: " + JSON.stringify([code, other]));
  }
  const draw = integerBelow(recipe.denominator, bytes);
  // Drawn whether it is used or not, so that the work done says nothing.
  const second = integerBelow(2, bytes) === 0;
  if (draw < recipe.diagonal) return code;
  return second ? other : pick(recipe.replacement, draw - recipe.diagonal);
}

/** All true answers ({name: code}) become a report ({name: code}); every question must have one. `others` holds the answers
 *  to unrelated questions that were asked. */
export function randomise(recipe, answers, others = {}, bytes = secureBytes) {
  const report = {};
  for (const block of recipe.blocks) {
    const [first] = block.attributes;
    const codes = block.attributes.map((name) => answers[name]);
    const drawn =
      Object.hasOwn(others, first) ? [randomiseAsked(block, codes[0], others[first], bytes)] : randomiseBlock(block, codes, bytes);
    block.attributes.forEach((name, i) => (report[name] = drawn[i]));
  }
  return report;
}

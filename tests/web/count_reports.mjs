// Draws many reports of each true label with the real source of randomness; prints how often each label was reported.
import { pathToFileURL } from "node:url";

const [, , script, recipeText, times] = process.argv;
const { randomiseBlock } = await import(pathToFileURL(script));
const recipe = JSON.parse(recipeText);
Math.random = () => {
  throw new Error("Math.random was called");
};
const counts = recipe.truths.map((codes) => {
  const found = {};
  for (let i = 0; i < Number(times); i++) {
    const key = randomiseBlock(recipe, codes).join();
    found[key] = (found[key] ?? 0) + 1;
  }
  return found;
});
console.log(JSON.stringify(counts));

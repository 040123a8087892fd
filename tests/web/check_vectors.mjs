// Repeats every draw of draws.json with the browser's sampler; prints the differences as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , script, vectors] = process.argv;
const { randomiseBlock } = await import(pathToFileURL(script));
const { recipes, draws } = JSON.parse(readFileSync(vectors, "utf8"));
const wrong = [];
draws.forEach(([at, codes, streams, expected], i) => {
  const stream = Buffer.from(streams.join(""), "hex");
  let used = 0;
  const bytes = (n) => {
    if (used + n > stream.length) throw new Error("draw " + i + " asks for more bytes than there are");
    return stream.subarray(used, (used += n));
  };
  const got = randomiseBlock(recipes[at], codes, bytes);
  if (JSON.stringify(got) !== JSON.stringify(expected) || used !== stream.length) wrong.push([i, got, used]);
});
console.log(JSON.stringify({ draws: draws.length, wrong }));

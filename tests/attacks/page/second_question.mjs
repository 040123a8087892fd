// How often each label is sent by someone with a true answer and a second answer: [answer][second][sent].
const [folder, text, draws] = process.argv.slice(2);
const { randomise } = await import(`${folder}/randomise.js`);
const block = { ...JSON.parse(text), attributes: ["debt"] };
const counts = [0, 1, 2].map((answer) =>
  [0, 1, 2].map((second) => {
    const sent = [0, 0, 0];
    for (let i = 0; i < Number(draws); i++) sent[randomise({ blocks: [block] }, { debt: answer }, { debt: second }).debt]++;
    return sent;
  }),
);
console.log(JSON.stringify(counts));

// Saves a form of a draft a moment after something was typed, adds and removes rows of lists, and says that a plan is being worked out.
// Without this script the buttons do the same.
const WAIT = 1200;
const form = document.querySelector("form.part");

if (form) {
  const said = form.querySelector(".saved");
  let timer = 0;
  let running = null;
  let again = false;

  const showWrong = (wrong) => {
    for (const [key, sentences] of Object.entries(wrong)) {
      const list = document.getElementById(`wrong-${key}`);
      if (!list) continue;
      list.replaceChildren(
        ...sentences.map((sentence) => {
          const item = document.createElement("li");
          item.textContent = sentence;
          return item;
        }),
      );
      list.hidden = !sentences.length;
    }
  };

  const send = async () => {
    said.textContent = form.dataset.saving;
    const fields = new URLSearchParams(new FormData(form));
    fields.delete("drop");
    try {
      const reply = await fetch(form.action, {
        method: "POST",
        headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
        body: fields,
        redirect: "error",
      });
      const told = await reply.json();
      said.textContent = told.said ?? form.dataset.unsaved;
      if (!reply.ok) return;
      form.elements.seen.value = told.seen;
      form.elements.called.value = told.called;
      showWrong(told.wrong);
    } catch {
      said.textContent = form.dataset.unsaved;
    }
  };

  const save = async () => {
    if (running) {
      again = true;
      return;
    }
    running = send();
    await running;
    running = null;
    if (again) {
      again = false;
      save();
    }
  };

  form.addEventListener("input", (event) => {
    // What is removed for good is removed by the button alone, and another kind of question has other fields.
    if (event.target.name === "drop" || event.target.name === "type") return;
    savedSoon();
  });
  // Rows of a list come and go on the page; their inputs are numbered in the order in which they stand.
  const numbered = (list) => {
    const { key, row, up, drop } = list.dataset;
    list.querySelectorAll(".answer").forEach((answer, i) => {
      const label = row.replace("{number}", i + 1);
      answer.setAttribute("aria-label", label);
      for (const input of answer.querySelectorAll("input")) {
        const name = `${key}.${i}.${input.name.split(".").pop()}`;
        answer.querySelector(`label[for="${CSS.escape(input.id)}"]`).htmlFor = name;
        input.name = name;
        input.id = name;
      }
      for (const [verb, word] of [["up", up], ["drop", drop]]) {
        const button = answer.querySelector(`button.${verb}`);
        if (!button) continue;
        button.value = `${verb} ${key} ${i}`;
        button.setAttribute("aria-label", `${word}: ${label}`);
      }
    });
  };
  const emptied = (answer) => {
    for (const input of answer.querySelectorAll("input")) input.value = "";
  };
  const savedSoon = () => {
    said.textContent = "";
    clearTimeout(timer);
    timer = setTimeout(save, WAIT);
  };

  form.addEventListener("click", (event) => {
    const button = event.target.closest("button.more, button.drop");
    if (!button) return;
    event.preventDefault();
    const list = button.closest("fieldset.answers");
    const answers = [...list.querySelectorAll(".answer")];
    if (button.matches(".more")) {
      const made = answers.at(-1).cloneNode(true);
      made.classList.remove("bad");
      made.querySelector("button.up")?.remove();
      emptied(made);
      answers.at(-1).after(made);
      numbered(list);
      made.querySelector("input").focus();
      return;
    }
    const answer = button.closest(".answer");
    const place = answers.indexOf(answer);
    if (answers.length > 1) answer.remove();
    else emptied(answer);
    numbered(list);
    const left = [...list.querySelectorAll(".answer")];
    left[Math.min(place, left.length - 1)].querySelector("input").focus();
    savedSoon();
  });
  form.addEventListener("change", (event) => {
    if (event.target.name !== "type") return;
    form.requestSubmit(form.querySelector("button[value=stay]"));
  });
  // A save that is under way changes the mark that the form carries: the button waits for it.
  form.addEventListener("submit", (event) => {
    clearTimeout(timer);
    again = false;
    if (!running) return;
    event.preventDefault();
    const { submitter } = event;
    running.then(() => setTimeout(() => form.requestSubmit(submitter)));
  });
}

// A plan takes a while: those who asked for one are told that it is under way.
const busy = document.querySelector(".busy");

if (busy) {
  const say = () => {
    busy.textContent = busy.dataset.said;
  };
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-busy]")) say();
  });
  document.addEventListener("click", (event) => {
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (plain && event.target.closest("a[data-busy]")) say();
  });
  // Whoever comes back to a page finds nothing under way on it.
  window.addEventListener("pageshow", () => {
    busy.textContent = "";
  });
}

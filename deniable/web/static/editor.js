// Saves a form of a draft a moment after something was typed, and at once when somebody leaves the page; adds and removes rows of lists,
// and says that a plan is being worked out.
// Without this script the buttons do the same.
const WAIT = 1200;
// Browsers finish sending this many bytes after a page is left (64 KiB), and no more.
const LEFT_BEHIND = 60000;
const form = document.querySelector("form.part");

if (form) {
  const said = form.querySelector(".saved");
  let timer = 0;
  let running = null;
  let again = false;
  // Changes are counted: those up to `kept` are saved, those up to `flushed` were sent while the page was being left.
  let changes = 0;
  let kept = 0;
  let flushed = 0;
  let failed = false;
  let submitted = false;
  const unsaved = () => kept < changes && flushed < changes && !submitted;

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

  const fieldsNow = () => {
    const fields = new URLSearchParams(new FormData(form));
    fields.delete("drop");
    return fields.toString();
  };
  const send = async (more = {}) => {
    said.textContent = form.dataset.saving;
    const now = changes;
    let told = {};
    try {
      const reply = await fetch(form.action, {
        method: "POST",
        headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
        body: fieldsNow(),
        redirect: "error",
        ...more,
      });
      told = await reply.json();
      failed = !reply.ok;
    } catch {
      failed = true;
    }
    said.textContent = told.said ?? form.dataset.unsaved;
    if (failed) return;
    form.elements.seen.value = told.seen;
    form.elements.called.value = told.called;
    showWrong(told.wrong);
    kept = now;
  };

  const save = async () => {
    clearTimeout(timer);
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
  // All that was typed, saved now; whoever waits for it may go on whether or not it could be.
  const saveAll = async () => {
    clearTimeout(timer);
    again = false;
    if (running) await running;
    if (unsaved()) await save();
  };

  // The last words are sent while the page goes. The form's mark goes with them, so that they overwrite nobody's text.
  const flush = () => {
    if (running || failed || !navigator.onLine || fieldsNow().length > LEFT_BEHIND) return false;
    clearTimeout(timer);
    flushed = changes;
    running = send({ keepalive: true }).finally(() => {
      running = null;
      flushed = kept;
    });
    return true;
  };
  window.addEventListener("beforeunload", (event) => {
    if (unsaved() && !flush()) event.preventDefault();
  });
  // Where nobody is asked before a page goes, as on telephones.
  window.addEventListener("pagehide", () => {
    if (unsaved()) flush();
  });
  // A page that comes back as it was has an old mark, and perhaps a text that was not saved: what is saved is shown instead.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) window.location.reload();
  });
  // Whoever follows a link finds there what was typed last.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[href]");
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !plain || event.defaultPrevented || link.target || link.download || !unsaved()) return;
    event.preventDefault();
    await saveAll();
    window.location.assign(link.href);
  });
  // Other forms of the page, such as that for logging out.
  document.addEventListener("submit", async (event) => {
    if (event.target === form || event.defaultPrevented || !unsaved()) return;
    event.preventDefault();
    const { submitter, target } = event;
    await saveAll();
    target.requestSubmit(submitter);
  });

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
    changes += 1;
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
    if (!running) {
      submitted = true;
      return;
    }
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

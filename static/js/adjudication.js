// The adjudication page: one press settles the case on screen and shows the next one at once. Without this script the
// case is a plain form.
import { AnswerScreen } from "./card/answer_screen.js";
import { getCard } from "./card/screen.js";
import { describeUse } from "./card/use.js";
import { readComment } from "./comments.js";
import * as highlights from "./highlights.js";
import { listenForKeys } from "./judging_keys.js";
import { ADJUDICATION_KEYS } from "./keymap.js";

const root = document.getElementById("adjudication");
const form = document.getElementById("settle");
const getText = () => document.getElementById("text");

const words = { noun: "decision", activity: "adjudicating", card: "document" };
const screen = new AnswerScreen({ root, form, words, comment: "why", createAnswer, prepare });

function createAnswer({ dataset }, button) {
  const { textHash, lastLabel } = dataset;
  return {
    text_hash: textHash,
    last_label: Number(lastLabel),
    relevance: Number(button.value),
    why: readComment(),
  };
}

function prepare({ dataset }) {
  for (const button of form.querySelectorAll("[name=relevance]")) {
    button.setAttribute("aria-pressed", button.value === dataset.undone);
  }
  for (const link of document.querySelectorAll("#dispute-queue a")) {
    if (link.dataset.document === dataset.entry) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  document.getElementById("hit-count").textContent = "";
  focusDocument();
}

function focusDocument() {
  if (!describeUse()) getText().focus({ preventScroll: true }); // a remark may be begun before this script runs
}

function toggleLabels() {
  const isWhole = root.classList.toggle("whole");
  document.querySelector("[data-do=whole]").setAttribute("aria-pressed", isWhole);
}

const ACTIONS = {
  "next-hit": () => highlights.goToNextHit(getCard()),
  "previous-hit": () => highlights.goToPreviousHit(getCard()),
  "densest-hit": () => highlights.goToDensestHit(getCard()),
  marks: () => highlights.toggleMarks(getCard()),
  "page-down": () => getText().scrollBy({ top: getText().clientHeight * 0.9 }),
  comment: () => document.getElementById("comment").focus(),
  whole: toggleLabels,
  keys: () => document.getElementById("keys").showModal(),
};

document.addEventListener("click", (event) => {
  const control = event.target.closest("[data-do]");
  if (control?.dataset.do === "later") {
    event.preventDefault();
    screen.dispatch("skip");
  } else if (control?.dataset.do === "undo") {
    if (screen.undo()) event.preventDefault(); // otherwise the form reopens the last case of an earlier page
  } else if (control) {
    ACTIONS[control.dataset.do]?.();
  }
});
listenForKeys({ screen, actions: ACTIONS, focusDocument, keys: ADJUDICATION_KEYS });
screen.start();

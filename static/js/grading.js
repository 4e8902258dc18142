// One answer and several criteria: a digit grades the current criterion, Enter stores all grades and shows the next
// answer at once. Without this script the criteria are a plain form, and citations are links.
import { closeSource, moveReading, openNextSource } from "./cited_sources.js";
import { AnswerScreen } from "./card/answer_screen.js";
import { getCard } from "./card/screen.js";
import { readComment } from "./comments.js";
import { findAction, isModified, readKeys } from "./keymap.js";

const KEYS = {
  undo: ["u"],
  reason: ["c"],
  next: ["j"],
  previous: ["k"],
  source: ["o"],
  up: ["ArrowUp"],
  down: ["ArrowDown"],
};
const form = document.getElementById("vote");
const reason = document.getElementById("reason");
const comment = document.getElementById("comment");
const store = form.querySelector("[name=store]");
const criteria = [...form.querySelectorAll(".criterion")];
let current = 0; // place of the criterion that digits grade

const words = { noun: "grade", activity: "grading" };
const drafts = `grading ${form.dataset.judge}`;
const screen = new AnswerScreen({ root: form, form, words, drafts, comment: "reason", createAnswer, prepare });

const listLevels = (criterion) => [...criterion.querySelectorAll("input")];
const findChosen = (criterion) => listLevels(criterion).findIndex((level) => level.checked);

function createAnswer({ dataset }, _button, source) {
  const grades = criteria.map(findChosen);
  dataset.grades = grades.join(",");
  const fields = criteria.map((criterion, index) => [listLevels(criterion)[0].name, grades[index]]);
  return { ...Object.fromEntries(fields), reason: readComment(), source };
}

function prepare({ dataset }) {
  const grades = dataset.grades ? dataset.grades.split(",").map(Number) : [];
  for (const [index, criterion] of criteria.entries()) {
    for (const [grade, level] of listLevels(criterion).entries()) level.checked = grade === grades[index];
  }
  if (!dataset.grades) document.getElementById("earlier-vote")?.remove();
  if (location.pathname !== dataset.address) history.replaceState(null, "", dataset.address); // for a reload
  setTimeout(() => (reason.open = comment.value !== "")); // after the comment of this card is shown
  moveTo(0);
}

function moveTo(place) {
  current = Math.min(criteria.length - 1, Math.max(0, place));
  for (const [index, criterion] of criteria.entries()) criterion.classList.toggle("current", index === current);
  criteria[current].scrollIntoView({ block: "nearest" });
}

/** Choose a grade of the current criterion, and go on to the next one. */
function chooseGrade(value) {
  const level = listLevels(criteria[current])[value];
  if (!level || !form.hasAttribute("data-enabled")) return;
  level.checked = true;
  moveTo(current + 1);
}

function undo(event) {
  const link = form.querySelector("[data-do=undo]");
  if (screen.undo()) event.preventDefault(); // otherwise the link opens the last answer of an earlier page
  else if (event.type === "keydown") link.click();
}

const ACTIONS = {
  undo,
  reason: () => {
    reason.open = true;
    comment.focus();
  },
  next: () => moveReading(getCard(), 1),
  previous: () => moveReading(getCard(), -1),
  source: () => openNextSource(getCard()),
  up: () => moveTo(current - 1),
  down: () => moveTo(current + 1),
};

/** Return the action of a key. Arrows scroll a text that has the focus, and move among the grades of a criterion. */
function findKey(event) {
  const isArrow = event.key.startsWith("Arrow");
  return isArrow && event.target.closest(".ballot-text, .ballot-source, .criterion") ? null : findAction(event, KEYS);
}

document.addEventListener("keydown", (event) => {
  if (isModified(event)) return;
  if (event.target.matches("input:not([type=radio]), textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "Escape") return closeSource(getCard());
  if (event.key === "Enter" && !event.target.closest("a, button, summary")) {
    event.preventDefault();
    return screen.press(store, "key", event);
  }
  const digit = readKeys(event).find((key) => /^\d$/.test(key));
  const action = digit ? null : findKey(event);
  if (!digit && !action) return;
  event.preventDefault();
  if (digit) chooseGrade(Number(digit));
  else ACTIONS[action](event);
});
form.addEventListener("change", ({ target }) => {
  const index = criteria.findIndex((criterion) => criterion.contains(target));
  if (index >= 0) moveTo(index + 1);
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-do=undo]") && event.isTrusted) undo(event);
});
screen.start();

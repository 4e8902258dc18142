// A snippet as a result page shows it, then the document behind it: a digit is a grade, and the next one is shown at
// once. "a" says that the snippet alone answers the topic. Without this script it is a plain form.
import { AnswerScreen } from "./card/answer_screen.js";
import { getCard } from "./card/screen.js";
import { readComment } from "./comments.js";
import { findAction, isModified, readKeys } from "./keymap.js";

const KEYS = { undo: ["u"], reason: ["c"], answers: ["a"] };
const form = document.getElementById("vote");
const reason = document.getElementById("reason");
const comment = document.getElementById("comment");
const earlier = document.getElementById("earlier-vote");
const answers = document.getElementById("answers");
const answersLine = document.getElementById("answers-line");
const question = document.getElementById("grade-question");

const screen = new AnswerScreen({
  root: form,
  form,
  words: { noun: "grade", activity: "grading", card: "item" },
  drafts: `snippets ${form.dataset.judge}`,
  comment: "reason",
  createAnswer,
  prepare,
});

const isSnippet = ({ dataset }) => dataset.step === "snippet";

function createAnswer(card, { value }, source) {
  const { dataset } = card;
  const isAnswer = isSnippet(card) && answers.checked;
  Object.assign(dataset, { grade: value, answers: isAnswer ? "yes" : "" });
  dataset.given = `grade ${value}${isAnswer ? ", answers the topic" : ""}`;
  return { grade: value, answers: isAnswer, text_hash: dataset.textHash, reason: readComment(), source };
}

function prepare(card) {
  const { dataset } = card;
  for (const button of form.querySelectorAll("[name=grade]")) {
    button.setAttribute("aria-pressed", button.value === dataset.grade && !dataset.undone);
  }
  answers.checked = dataset.answers === "yes";
  answersLine.hidden = !isSnippet(card);
  question.textContent = dataset.question;
  form.elements.text_hash.value = dataset.textHash;
  earlier.textContent = describeEarlier(dataset);
  if (location.pathname !== dataset.address) history.replaceState(null, "", dataset.address); // for a reload
  setTimeout(() => (reason.open = comment.value !== "")); // after the comment of this card is shown
}

function describeEarlier({ given, undone }) {
  if (!given) return "";
  return undone ? `Taken back: ${given}.` : `You gave ${given}. A new grade replaces it.`;
}

function undo(event) {
  if (screen.undo()) event.preventDefault(); // otherwise the link opens the last item of an earlier page
  else if (event.type === "keydown") form.querySelector("[data-do=undo]").click();
}

const ACTIONS = {
  undo,
  reason: () => {
    reason.open = true;
    comment.focus();
  },
  answers: () => {
    if (isSnippet(getCard())) answers.checked = !answers.checked;
  },
};

document.addEventListener("keydown", (event) => {
  if (isModified(event)) return;
  if (event.target.matches("input:not([type=checkbox]), textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const digit = readKeys(event).find((key) => /^\d$/.test(key));
  const button = digit && form.querySelector(`[name=grade][value="${digit}"]`);
  const action = digit ? undefined : findAction(event, KEYS);
  if (!button && !action) return;
  event.preventDefault();
  if (button) screen.press(button, "key", event);
  else ACTIONS[action](event);
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-do=undo]") && event.isTrusted) undo(event);
});
screen.start();

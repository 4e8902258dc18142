// Two lists side by side: one key is one vote, and the next pair is shown at once. Without this script the three
// buttons are a plain form.
import { AnswerScreen } from "./card/answer_screen.js";
import { readComment } from "./comments.js";
import { findAction, isModified } from "./keymap.js";
import { showFirstList, takesKey } from "./list_tabs.js";

const KEYS = { left: ["ArrowLeft", "a"], right: ["ArrowRight", "b"], equal: ["e"] };
const form = document.getElementById("vote");

const words = { noun: "vote", activity: "voting", card: "pair" };
const screen = new AnswerScreen({ root: form, form, words, comment: "reason", createAnswer, prepare });

function createAnswer({ dataset }, { value }, source) {
  return { panel: Number(form.dataset.topic), topic: dataset.topic, choice: value, reason: readComment(), source };
}

function prepare(card) {
  const { dataset } = card;
  showFirstList(card);
  for (const button of form.querySelectorAll("[name=choice]")) {
    button.setAttribute("aria-pressed", button.value === dataset.choice);
  }
  if (!dataset.choice) document.getElementById("earlier-vote")?.remove();
  scrollTo(0, 0);
}

document.addEventListener("keydown", (event) => {
  if (isModified(event)) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const isTaken = takesKey(event);
  const choice = isTaken ? undefined : findAction(event, KEYS);
  if (isTaken || choice) event.preventDefault();
  if (!choice) return;
  screen.press(form.querySelector(`[value="${choice}"]`), "key", event);
});
screen.start();

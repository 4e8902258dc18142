// Two texts side by side: one key is one vote, and the next pair is shown at once. Without this script the buttons are
// a plain form, and citations are links.
import { closeSource, markReading, moveReading, openNextSource } from "./cited_sources.js";
import { isWaiting, listenForTabs, showTabs, switchSide } from "./side_tabs.js";
import { AnswerScreen } from "./card/answer_screen.js";
import { getCard } from "./card/screen.js";
import { showNote } from "./card/status.js";
import { readComment } from "./comments.js";
import { findAction, isModified } from "./keymap.js";

const VOTES = { left: ["ArrowLeft", "a"], tie: ["t"], "both bad": ["x"], right: ["ArrowRight", "b"] };
const KEYS = { undo: ["u"], reason: ["c"], next: ["j"], previous: ["k"], source: ["o"], other: ["s"] };
const WAITING = "You can vote when you have opened both sides.";
const form = document.getElementById("vote");
const reason = document.getElementById("reason");
const comment = document.getElementById("comment");

const words = { noun: "vote", activity: "voting" };
const drafts = `battle ${form.dataset.judge}`;
const screen = new AnswerScreen({
  root: form,
  form,
  words,
  drafts,
  comment: "reason",
  createAnswer,
  prepare,
  onRefresh,
});

function createAnswer(_card, { value }, source) {
  return { choice: value, reason: readComment(), source };
}

function prepare(card) {
  const { choice, undone } = card.dataset;
  for (const button of form.querySelectorAll("[name=choice]")) {
    button.setAttribute("aria-pressed", button.value === (undone ?? choice));
  }
  if (!choice) document.getElementById("earlier-vote")?.remove();
  if (location.pathname !== card.dataset.address) history.replaceState(null, "", card.dataset.address); // for a reload
  showTabs(card);
  setTimeout(() => (reason.open = comment.value !== "")); // after the comment of this card is shown
}

/** On a narrow screen no vote is taken before both answers were opened. */
function onRefresh() {
  const waits = isWaiting(getCard());
  if (waits) for (const button of form.querySelectorAll("[name=choice]")) button.disabled = true;
  if (form.hasAttribute("data-waiting") !== waits) showNote(waits ? WAITING : "", true);
  form.toggleAttribute("data-waiting", waits);
}

function writeReason() {
  reason.open = true;
  comment.focus();
}

function undo(event) {
  const link = form.querySelector("[data-do=undo]");
  if (screen.undo()) event.preventDefault(); // otherwise the link opens the last battle of an earlier page
  else if (event.type === "keydown") link.click();
}

const ACTIONS = {
  undo,
  reason: writeReason,
  next: () => moveReading(getCard(), 1),
  previous: () => moveReading(getCard(), -1),
  source: () => openNextSource(getCard()),
  other: () => markReading(getCard(), switchSide(getCard())),
};

/** Return the vote of a key. The arrow down scrolls a text that has the focus; elsewhere it is a tie. */
function findVote(event) {
  const scrolls = event.target.closest(".ballot-text, .ballot-source");
  return event.key === "ArrowDown" && !scrolls ? "tie" : findAction(event, VOTES);
}

document.addEventListener("keydown", (event) => {
  if (isModified(event)) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "Escape") return closeSource(getCard());
  const vote = [findVote(event)].find((choice) => form.querySelector(`[value="${choice}"]`));
  const action = vote ? null : findAction(event, KEYS);
  if (!vote && !action) return;
  event.preventDefault();
  if (!vote) ACTIONS[action](event);
  else if (isWaiting(getCard())) showNote(WAITING, true);
  else screen.press(form.querySelector(`[value="${vote}"]`), "key", event);
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-do=undo]") && event.isTrusted) undo(event);
});
listenForTabs(() => screen.refresh());
screen.start();

// A sentence and a document that it cites: one key is one label, and the next citation is shown at once. Words that are
// selected on both sides can be marked as what decided. Without this script the buttons are a plain form.
import { AnswerScreen } from "./card/answer_screen.js";
import { getCard } from "./card/screen.js";
import { readComment } from "./comments.js";
import { findAction, isModified } from "./keymap.js";

const LABELS = { full: ["1"], partial: ["2"], none: ["0"], cannot: ["x"] };
const KEYS = { undo: ["u"], reason: ["c"], mark: ["m"] };
const MOST_MARKS = 20; // as in the form
const MOST_CHARACTERS = 2000;
const SIDES = { sentence: ".support-sentences [aria-current]", document: ".support-text" };
const form = document.getElementById("vote");
const reason = document.getElementById("reason");
const comment = document.getElementById("comment");
const count = document.getElementById("mark-count");
const marks = new WeakMap(); // card -> marks
const chosen = { sentence: "", document: "" }; // the words selected last on each side

const screen = new AnswerScreen({
  root: form,
  form,
  words: { noun: "label", activity: "judging", card: "citation" },
  drafts: `support ${form.dataset.judge}`,
  comment: "reason",
  createAnswer,
  prepare,
});

function createAnswer(card, { value }, source) {
  const { textHash } = card.dataset;
  return { support: value, text_hash: textHash, marks: JSON.stringify(listMarks(card)), reason: readComment(), source };
}

const listMarks = (card) => marks.get(card) ?? [];

function prepare(card) {
  const { support, undone, address, textHash } = card.dataset;
  for (const button of form.querySelectorAll("[name=support]")) {
    button.setAttribute("aria-pressed", button.value === (undone ?? support));
  }
  form.elements.text_hash.value = textHash;
  if (!support) document.getElementById("earlier-vote")?.remove();
  if (location.pathname !== address) history.replaceState(null, "", address); // for a reload
  card.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  Object.assign(chosen, { sentence: "", document: "" });
  showMarks(card, "");
  setTimeout(() => (reason.open = comment.value !== "")); // after the comment of this card is shown
}

function showMarks(card, note) {
  const { length } = listMarks(card);
  count.textContent = note || (length ? `${length} pair${length === 1 ? "" : "s"} of words marked` : "");
}

/** Remember the words that are selected, for each side: a browser has one selection only. */
function rememberSelection() {
  const selection = getSelection();
  const words = String(selection).trim();
  if (!words || words.length > MOST_CHARACTERS) return;
  const node = selection.anchorNode?.parentElement;
  for (const [side, place] of Object.entries(SIDES)) {
    if (node?.closest(place) && selection.focusNode?.parentElement?.closest(place)) chosen[side] = words;
  }
}

function mark() {
  rememberSelection(); // the event of the last change may come later than the key
  const card = getCard();
  const found = listMarks(card);
  if (!chosen.sentence || !chosen.document) {
    const missing = chosen.sentence ? "the document" : "the sentence";
    return showMarks(card, `Select words of ${missing} first.`);
  }
  if (found.length < MOST_MARKS) marks.set(card, [...found, { ...chosen }]);
  Object.assign(chosen, { sentence: "", document: "" });
  getSelection().removeAllRanges();
  showMarks(card, "");
}

function undo(event) {
  if (screen.undo()) event.preventDefault(); // otherwise the link opens the last citation of an earlier page
  else if (event.type === "keydown") form.querySelector("[data-do=undo]").click();
}

function writeReason() {
  reason.open = true;
  comment.focus();
}

const ACTIONS = { undo, mark, reason: writeReason };

document.addEventListener("selectionchange", rememberSelection);
document.addEventListener("keydown", (event) => {
  if (isModified(event)) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const label = findAction(event, LABELS);
  const action = label ? null : findAction(event, KEYS);
  if (!label && !action) return;
  event.preventDefault();
  if (label) screen.press(form.querySelector(`[name=support][value="${label}"]`), "key", event);
  else ACTIONS[action](event);
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-do=undo]") && event.isTrusted) undo(event);
});
screen.start();

// A document and a number that says how relevant it is: a digit opens the field, Enter stores the number and shows the
// next document at once. The field is always empty at first. Without this script it is a plain form.
import { AnswerScreen } from "./card/answer_screen.js";
import { readComment } from "./comments.js";
import { findAction, isModified, readKeys } from "./keymap.js";

const KEYS = { undo: ["u"], reason: ["c"], cannot: ["x"] };
const form = document.getElementById("vote");
const reason = document.getElementById("reason");
const comment = document.getElementById("comment");
const earlier = document.getElementById("earlier-vote");
const field = document.getElementById("number");
const store = form.querySelector("[name=store]");
const cannot = form.querySelector("[name=cannot]");

class MagnitudeScreen extends AnswerScreen {
  /** A document that cannot be judged needs no number. */
  press(button, source, event) {
    field.disabled = button === cannot;
    super.press(button, source, event);
    field.disabled = false;
  }
}

const screen = new MagnitudeScreen({
  root: form,
  form,
  words: { noun: "number", activity: "judging", card: "document" },
  drafts: `magnitudes ${form.dataset.judge}`,
  comment: "reason",
  createAnswer,
  prepare,
});

function createAnswer({ dataset }, button, source) {
  const isCannot = button === cannot;
  const number = isCannot ? "" : field.value.trim();
  dataset.given = isCannot ? "“cannot judge”" : number;
  empty();
  return { number, cannot: isCannot, text_hash: dataset.textHash, reason: readComment(), source };
}

/** Leave the field, so that nothing is in use when the next document comes. */
function empty() {
  field.value = "";
  field.setCustomValidity("");
  field.blur();
}

function prepare({ dataset }) {
  const { given, undone, address, textHash } = dataset;
  empty();
  form.elements.text_hash.value = textHash;
  earlier.textContent = describeEarlier(given, undone);
  if (location.pathname !== address) history.replaceState(null, "", address); // for a reload
  setTimeout(() => (reason.open = comment.value !== "")); // after the comment of this card is shown
}

function describeEarlier(given, undone) {
  if (!given) return "";
  return undone ? `Taken back: ${given}.` : `You gave this document ${given}. A new number replaces it.`;
}

function checkAboveZero() {
  const isZero = field.value.split("/").some((part) => part.trim() && Number(part) === 0);
  field.setCustomValidity(isZero ? "Expected a number above 0." : "");
}

function undo(event) {
  if (screen.undo()) event.preventDefault(); // otherwise the link opens the last document of an earlier page
  else if (event.type === "keydown") form.querySelector("[data-do=undo]").click();
}

const ACTIONS = {
  undo,
  reason: () => {
    reason.open = true;
    comment.focus();
  },
  cannot: (event) => screen.press(cannot, "key", event),
};

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  const isEnter = key === "Enter" && target === field;
  if (isEnter) event.preventDefault();
  if (isModified(event)) return;
  if (isEnter) return screen.press(store, "key", event);
  if (target.matches("input, textarea, select")) {
    if (key === "Escape") target.blur();
    return;
  }
  if (readKeys(event).some((each) => /^[\d.]$/.test(each))) return field.focus(); // the field gets the character
  const action = findAction(event, KEYS);
  if (!action) return;
  event.preventDefault();
  ACTIONS[action](event);
});
field.addEventListener("input", checkAboveZero);
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-do=undo]") && event.isTrusted) undo(event);
});
screen.start();

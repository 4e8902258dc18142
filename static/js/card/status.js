// The save badge, the message over the page and the note beside the buttons of a card screen.
import { describeBadge, describeFailure } from "./words.js";

const NOTE_DURATION = 2000; // ms
const byId = (id) => document.getElementById(id);
const alertBar = byId("alert");
const alertText = alertBar.querySelector("p");
let noteTimer;

/** Show whether answers are saved, and why they are not. isClosed: the campaign takes none, or the server refuses. */
export function showStatus(status, words) {
  const { text, level } = describeBadge(status, words);
  const badge = byId("save");
  if (badge.textContent !== text) badge.textContent = text;
  badge.className = `save ${level}`;
  badge.dataset.unsent = status.unsent;
  byId("leave").hidden = !status.isClosed || status.isSignedOut;
  byId("sign-in").hidden = !status.isSignedOut;
  if (status.error) showAlert(describeFailure(status, words), "unsent");
  else if (alertBar.dataset.kind === "unsent") clearAlert();
}

/**
 * Show a message over the page. kind: "problem", "note", or "unsent" when answers cannot be sent. The next answer
 * clears a message; "unsent" is cleared when all answers are sent. Each can be closed.
 */
export function showAlert(text, kind = "problem") {
  if (alertText.textContent !== text) alertText.textContent = text; // a screen reader reads an unchanged text once
  else if (kind === "unsent") return; // the person has closed it
  alertBar.dataset.kind = kind;
  alertBar.hidden = false;
  byId("try-now").hidden = kind !== "unsent";
}

/** Clear the message of the last answer. */
export function clearOldAlert() {
  if (alertBar.dataset.kind !== "unsent") clearAlert();
}

/** Hide the message; showAlert does not show the same "unsent" message again before answers were sent. */
export function closeAlert() {
  alertBar.hidden = true;
}

function clearAlert() {
  closeAlert();
  alertBar.dataset.kind = "";
  alertText.textContent = "";
}

/** Show a note, for a moment or until the next one. */
export function showNote(text, stays = false) {
  byId("press-note").textContent = text;
  clearTimeout(noteTimer);
  if (!stays) noteTimer = setTimeout(showNote, NOTE_DURATION, "", true);
}

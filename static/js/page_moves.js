// Moves that the person did not start: after an answer of the server, a change in another tab or a timer, the page
// shows another document. They wait while the person types, selects words or has a dialog open.
import { clearNote, showNote } from "./status.js";

const STORAGE_KEY = "jurypool page moved"; // in the session storage, from one page to the next
let retryMove = null;

/** Return what ends the use of a field, a dialog, a menu or a selection, in words; "" if none is in use. */
function describeUse() {
  if (document.activeElement?.matches("input, textarea, select, [contenteditable]")) return "leave the field (Esc)";
  if (document.querySelector("dialog[open], :popover-open")) return "close the dialog (Esc)";
  if (document.querySelector(".cannot-judge[open]")) return "close the menu (Esc)";
  return getSelection().isCollapsed ? "" : "clear the selection (Esc)";
}

/** Return whether a move has to wait; then say so, and call retry when nothing is in use. */
export function mustWait(retry) {
  const use = describeUse();
  if (!use) return false;
  retryMove = retry;
  showNote(`The next document follows when you ${use}.`, true);
  return true;
}

function retryWhenFree() {
  if (!retryMove || describeUse()) return;
  const retry = retryMove;
  retryMove = null;
  clearNote();
  retry();
}

/** Leave the page for another one, which then knows that the person did not ask for it. */
export function leavePage(go) {
  sessionStorage.setItem(STORAGE_KEY, "true");
  go();
}

/** Return whether an earlier page left for this one by itself. */
export function wasMoved() {
  const isMoved = sessionStorage.getItem(STORAGE_KEY) !== null;
  sessionStorage.removeItem(STORAGE_KEY);
  return isMoved;
}

for (const name of ["focusout", "selectionchange", "close", "toggle"]) {
  document.addEventListener(name, () => setTimeout(retryWhenFree), true); // the focus may go to another field
}
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && retryMove) getSelection().removeAllRanges();
});

// Moves that the person did not start wait while the person types, selects words or has a dialog open.
const STORAGE_KEY = "jurypool page moved"; // in the session storage, from one page to the next

/** Return what ends the use of a field, a dialog, a menu or a selection, in words; "" if none is in use. */
export function describeUse() {
  if (document.activeElement?.matches("input, textarea, select, [contenteditable]")) return "leave the field (Esc)";
  if (document.querySelector("dialog[open], :popover-open")) return "close the dialog (Esc)";
  if (document.querySelector(".cannot-judge[open]")) return "close the menu (Esc)";
  return getSelection().isCollapsed ? "" : "clear the selection (Esc)";
}

/** Call onRelease when something may not be in use any more, while isWaiting() says that a move waits for it. */
export function listenForRelease(isWaiting, onRelease) {
  for (const name of ["focusout", "selectionchange", "close", "toggle"]) {
    // after the event, because the focus may go to another field
    document.addEventListener(name, () => isWaiting() && setTimeout(() => isWaiting() && onRelease()), true);
  }
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && isWaiting()) getSelection().removeAllRanges();
  });
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

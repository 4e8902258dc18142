// htmx replaces the card by one with a label, after "Previous document" or from the list of recent labels.
import * as cards from "./cards.js";
import { getCard, isOpen } from "./cards.js";
import { mustWait } from "./page_moves.js";
import { showAlert } from "./status.js";

/** Listen for these. setLoading(isLoading) stops presses, which would mean the card that is to come. */
export function listenForSwaps({ setLoading, sendDrafts, prepareCard }) {
  listen("beforeRequest", () => setLoading(true));
  listen("afterRequest", ({ successful }) => {
    setLoading(false);
    if (!successful) showAlert("The document could not be loaded. Try again.");
  });
  listen("beforeSwap", (detail) => {
    if (!detail.shouldSwap) return;
    if (mustWait(() => {})) {
      detail.shouldSwap = false; // the judge has begun to type: the card stays
      return;
    }
    sendDrafts();
    if (isOpen(getCard())) cards.copyToNextCards();
  });
  listen("afterSwap", () => {
    cards.removeCopies([getCard().dataset.entry]);
    prepareCard();
  });
}

function listen(name, handle) {
  document.addEventListener(`htmx:${name}`, ({ detail }) => {
    if (detail.target.id === "judgment-card") handle(detail);
  });
}

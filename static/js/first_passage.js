// A document that is first shown as its densest passage: the judge opens the whole text if that does not decide. The
// label records what was on screen.
const reader = document.querySelector(".reader");

/** Return what the judge has read of a card: "passage", "opened", or "" where the whole text was there at once. */
export const readMode = ({ dataset }) => dataset.read ?? "";

/** Show the whole text of a card that shows its passage. */
export function openWhole(card) {
  if (readMode(card) !== "passage") return;
  card.dataset.read = "opened";
  reader.scrollTop = 0;
  card.querySelector("h1").focus({ preventScroll: true });
}

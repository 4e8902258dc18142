// The cards of the judging screen: the one on screen, the next ones, and the previous ones, which were on screen.
export const MIN_CARDS = 4; // on the page, with the one on screen
const RANDOM_CARDS = 4; // up to so many more, so that judges who began together send requests at different times
let nextCards = [];
let previousCards = [];

/** Return the card on screen. */
export const getCard = () => document.getElementById("judgment-card");

/** Whether a card has no label. */
export const isOpen = ({ dataset }) => !dataset.relevance && !dataset.reason;

/** Write a label to its card, so that the card shows it. */
export function writeLabel({ dataset }, { relevance, reason, comment, evidence }) {
  Object.assign(dataset, { relevance: relevance ?? "", reason, comment });
  dataset.evidence = evidence ? JSON.stringify(evidence) : "";
}

export const countNextCards = () => nextCards.length;
export const hasPreviousCards = () => previousCards.length > 0;
export const isPreviousCard = (card) => previousCards.includes(card);

/** Whether a card was removed while it was on screen. */
export const isRemoved = ({ dataset }) => dataset.removed === "true";

/** Return the entries of the cards without a label. */
export const listOpenEntries = () =>
  [getCard(), ...nextCards].filter(isOpen).map(({ dataset }) => Number(dataset.entry));

/**
 * Return the number of cards to request: none while the page has enough for the duration of a request. prefetch: cards
 * that the page should have; latency: ms of the last request.
 */
export function countWantedCards(prefetch, latency) {
  const reserve = Math.ceil(latency / 300);
  const enough = MIN_CARDS + reserve + Math.floor(RANDOM_CARDS * Math.random());
  return listOpenEntries().length > enough ? 0 : prefetch + reserve;
}

function addToPrevious(card) {
  if (!isPreviousCard(card) && !isRemoved(card)) previousCards.push(card);
}

/** Make the card on screen a previous one, with all cards up to the next one without a label; return that, if any. */
export function takeNextOpenCard() {
  addToPrevious(getCard());
  while (nextCards.length && !isOpen(nextCards[0])) addToPrevious(nextCards.shift());
  return nextCards.shift();
}

/** Make the card on screen a previous one; return the next card. */
export function takeNextCard() {
  addToPrevious(getCard());
  return nextCards.shift();
}

/** Return the next card. The card on screen is forgotten; a response may bring it again. */
export const skipCard = () => nextCards.shift();

/** Make the card on screen the next one; return the previous card. */
export function takePreviousCard() {
  if (!isPreviousCard(getCard()) && !isRemoved(getCard())) nextCards.unshift(getCard());
  return previousCards.pop();
}

/** Keep a copy of the card on screen as the next one, because htmx replaces it. */
export function copyToNextCards() {
  nextCards.unshift(getCard().cloneNode(true));
}

/** Forget the other cards of some entries: older copies of the card on screen, or cards that are not current. */
export function removeCopies(entries) {
  const isOther = ({ dataset }) => !entries.includes(dataset.entry);
  nextCards = nextCards.filter(isOther);
  previousCards = previousCards.filter(isOther);
}

/**
 * Remove the cards of some entries: they have got a label in another tab, were given to another judge, or have a new
 * text. One that is on screen stays there until the next card is shown.
 */
export function removeCards(entries) {
  removeCopies(entries);
  if (entries.includes(getCard().dataset.entry)) getCard().dataset.removed = "true";
}

/** Remove those cards of some entries that have no label: the server rendered them before it stored the label. */
export function removeOpenCards(entries) {
  const open = new Set([getCard(), ...nextCards].filter(isOpen).map(({ dataset }) => dataset.entry));
  removeCards(entries.filter((entry) => open.has(entry)));
}

/** Add the new cards of a response in its order, but not those with an unsent label; cards with a label come first. */
export function addCards(fragment, unsentLabels) {
  const known = new Set([getCard(), ...nextCards].map(({ dataset }) => dataset.entry));
  for (const { entry } of unsentLabels) known.add(String(entry));
  for (const { content } of fragment.querySelectorAll("template")) {
    if (!known.has(content.firstElementChild.dataset.entry)) nextCards.push(content.firstElementChild);
  }
  nextCards = nextCards.toSorted((one, other) => isOpen(one) - isOpen(other));
}

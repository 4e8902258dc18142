// The cards of the judging screen: the one on screen, the next ones, and the previous ones, which were on screen.
let nextCards = [];
const previousCards = [];

/** Return the card on screen. */
export const getCard = () => document.getElementById("judgment-card");

/** Whether a card has no label. */
export const isOpen = ({ dataset }) => !dataset.relevance && !dataset.reason;

export const countNextCards = () => nextCards.length;
export const hasPreviousCards = () => previousCards.length > 0;
export const isPreviousCard = (card) => previousCards.includes(card);

/** Return the entries of the cards without a label. */
export const listOpenEntries = () =>
  [getCard(), ...nextCards].filter(isOpen).map(({ dataset }) => Number(dataset.entry));

/** Make the card on screen a previous one, with all cards up to the next one without a label; return that, if any. */
export function takeNextOpenCard() {
  if (!isPreviousCard(getCard())) previousCards.push(getCard());
  while (nextCards.length && !isOpen(nextCards[0])) previousCards.push(nextCards.shift());
  return nextCards.shift();
}

/** Make the card on screen a previous one; return the next card. */
export function takeNextCard() {
  previousCards.push(getCard());
  return nextCards.shift();
}

/** Make the card on screen the next one; return the previous card. */
export function takePreviousCard() {
  if (getCard().isConnected && !isPreviousCard(getCard())) nextCards.unshift(getCard());
  return previousCards.pop();
}

/** Keep a copy of the card on screen as the next one, because htmx replaces it. */
export function copyToNextCards() {
  nextCards.unshift(getCard().cloneNode(true));
}

/** Remove the cards of some entries: they have got a label elsewhere, or were given to another judge. */
export function removeCards(entries) {
  nextCards = nextCards.filter(({ dataset }) => !entries.includes(dataset.entry));
  if (entries.includes(getCard().dataset.entry)) previousCards.push(getCard());
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

// The sentence of an answer that is marked as evidence. None is at first, so that no label has evidence by chance.
const lastPlaces = new WeakMap(); // card -> the place that was marked last

const listSentences = (card) => [...card.querySelectorAll(".match-sentences .sentence")];
const getPlace = ({ dataset }) => Number(dataset.sentence);

/** Return the place of the marked sentence, or null. */
export function getMarked(card) {
  const marked = listSentences(card).find((each) => each.hasAttribute("aria-current"));
  return marked ? getPlace(marked) : null;
}

/** Mark the sentence at a place, or none. */
export function markSentence(card, place) {
  for (const each of listSentences(card)) {
    if (getPlace(each) === place) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
  }
  const marked = listSentences(card).find((each) => getPlace(each) === place);
  marked?.scrollIntoView({ block: "nearest" });
  if (marked) lastPlaces.set(card, place);
  document.getElementById("open-evidence").textContent = marked ? `evidence: sentence ${place}` : "no sentence marked";
}

/** Move the mark by some sentences. The first move of a nugget marks the sentence that was marked last. */
export function moveMark(card, step) {
  const places = listSentences(card).map(getPlace);
  const marked = getMarked(card);
  const index = marked === null ? -1 : places.indexOf(marked);
  const begin = lastPlaces.get(card) ?? places[0];
  const next = index < 0 ? begin : places[Math.min(places.length - 1, Math.max(0, index + step))];
  if (next) markSentence(card, next);
}

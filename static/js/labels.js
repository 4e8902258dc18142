// A label as the judging screen gives it to the outbox.
import { measureTime } from "./active_time.js";
import { readComment } from "./comments.js";
import { readEvidence } from "./evidence.js";

/** Return the label of a card. answer: its relevance, its reason, or later; source: "key" or "click". */
export function createLabel(card, source, answer) {
  const { dataset } = card;
  return {
    uuid: createUuid(),
    entry: Number(dataset.entry),
    docno: dataset.docno,
    text_hash: dataset.textHash,
    postponed: Number(dataset.postponed),
    relevance: null,
    reason: "",
    later: false,
    ...answer,
    source,
    evidence: readEvidence(),
    comment: readComment(),
    active_seconds: Math.round(measureTime() / 100) / 10,
    highlighted: Boolean(card.querySelector("mark")) && !card.classList.contains("unmarked"),
  };
}

/** Return a random UUID; over plain HTTP the browser has no crypto.randomUUID. */
function createUuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return "10000000-1000-4000-8000-100000000000".replaceAll(/[018]/g, (digit) => {
    const [random] = crypto.getRandomValues(new Uint8Array(1));
    return (digit ^ (random & (15 >> (digit / 4)))).toString(16);
  });
}

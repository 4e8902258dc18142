// A label as the judging screen gives it to the outbox.
import { measureTime } from "./active_time.js";
import { readComment } from "./comments.js";
import { readEvidence } from "./evidence.js";
import { readMode } from "./first_passage.js";
import { readUnsure } from "./unsure.js";

/** Write a label to its card, so that the card shows it. */
export function writeLabel({ dataset }, { relevance, reason, comment, evidence, unsure }) {
  Object.assign(dataset, { relevance: relevance ?? "", reason, comment, unsure });
  dataset.evidence = evidence ? JSON.stringify(evidence) : "";
}

/** Return the label of a card. answer: its relevance, its reason, or later; source: "key" or "click". */
export function createLabel(card, source, answer) {
  const { dataset } = card;
  return {
    text_hash: dataset.textHash,
    suggestion: dataset.suggestion,
    postponed: Number(dataset.postponed),
    relevance: null,
    reason: "",
    later: false,
    ...answer,
    source,
    evidence: readEvidence(),
    comment: readComment(),
    unsure: readUnsure(),
    read: readMode(card),
    active_seconds: Math.round(measureTime() / 100) / 10,
    highlighted: Boolean(card.querySelector("mark")) && !card.classList.contains("unmarked"),
  };
}

/** Return the answer of a pressed button: its relevance, its reason, or later. */
export function readAnswer({ name, value }) {
  if (name === "reason") return { reason: value };
  return { [name]: name === "later" || Number(value) };
}

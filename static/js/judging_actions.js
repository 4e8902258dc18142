// What the buttons and keys of the judging screen do, besides the labels and the way from card to card.
import * as evidence from "./evidence.js";
import { openWhole } from "./first_passage.js";
import * as highlights from "./highlights.js";
import { showAlert } from "./card/status.js";

const byId = (id) => document.getElementById(id);
const reader = document.querySelector(".reader");
const examples = byId("examples");

function openBox(id, field) {
  const box = byId(id);
  if (!box.matches(":popover-open")) box.showPopover();
  field.focus();
}

function storeEvidence() {
  if (!evidence.storeSelection()) showAlert("Select words in the document first, then press again.");
}

examples.addEventListener("toggle", ({ newState }) => {
  if (newState === "open") byId("own-examples").dispatchEvent(new Event("wanted"));
});

/** Return a card, with its whole text on screen: a hit may be anywhere in it. */
function whole(card) {
  openWhole(card);
  return card;
}

/** Return name -> function. getCard() returns the card on screen. */
export const createActions = (getCard) => ({
  "next-hit": () => highlights.goToNextHit(whole(getCard())),
  "previous-hit": () => highlights.goToPreviousHit(whole(getCard())),
  "densest-hit": () => highlights.goToDensestHit(whole(getCard())),
  "to-hit": ({ dataset }) => highlights.goToHit(whole(getCard()), dataset.hit),
  "find-hit": () => openBox("terms", byId("own-term")),
  whole: () => openWhole(getCard()),
  marks: () => highlights.toggleMarks(getCard()),
  "page-down": () => reader.scrollBy({ top: reader.clientHeight * 0.9 }),
  comment: () => openBox("comments", byId("comment")),
  examples: () => examples.togglePopover(),
  guidelines: () => byId("guidelines")?.toggleAttribute("open"),
  evidence: storeEvidence,
  "clear-evidence": evidence.clearEvidence,
  keys: () => byId("keys").showModal(),
});

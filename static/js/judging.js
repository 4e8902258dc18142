// The judging screen: one press of a key or button labels the card on screen and shows the next card at once; the
// outbox sends the label. Without this script the grades are a plain form.
import { startTime } from "./active_time.js";
import { countLabel } from "./breaks.js";
import { CardScreen, getCard } from "./card/screen.js";
import { isOpen, listOpenCards } from "./card/state.js";
import * as comments from "./comments.js";
import "./display_settings.js";
import { listenForParts } from "./document_parts.js";
import * as evidence from "./evidence.js";
import { createActions } from "./judging_actions.js";
import { closeReasons, listenForKeys } from "./judging_keys.js";
import * as labelHistory from "./label_history.js";
import { createLabel, readAnswer, writeLabel } from "./labels.js";
import { showTerms } from "./own_terms.js";
import { Prefetch } from "./prefetch.js";
import * as unsure from "./unsure.js";

const MIN_CARDS = 4; // on the page, with the one on screen
const byId = (id) => document.getElementById(id);
const root = byId("judging-screen");
const form = byId("grades");
const reader = document.querySelector(".reader");
const { judge, topic } = root.dataset;
let judged = Number(root.dataset.judged);
let total = Number(root.dataset.total);

const screen = new CardScreen({
  root,
  form,
  words: { noun: "label", activity: "judging", card: "document" },
  drafts: judge,
  comment: "comment",
  createAnswer: (card, button, source) => createLabel(card, source, readAnswer(button)),
  storeAnswer,
  prepare,
  finish: sendDrafts,
  describeRequest: () => ({
    judge: Number(judge),
    topic,
    have: screen.listOpenEntries(),
    want: prefetch.countWanted(),
  }),
  onResponse: (data) => ([judged, total] = [Number(data.judged ?? judged), Number(data.total ?? total)]),
  onRefusal: ({ entry }) => labelHistory.removeLabel(entry),
  onRefresh: showProgress,
});

const prefetch = new Prefetch({
  outbox: screen.outbox,
  few: Number(root.dataset.few),
  many: Number(root.dataset.many),
  listCards: () => listOpenCards(screen.state),
  countLeft: () => total - judged,
});

/** Prepare the screen for the card that it shows: its evidence, the pressed grade, the focus. */
function prepare(card) {
  const unsent = screen.outbox
    .listUnsent()
    .findLast(({ entry, later }) => !later && String(entry) === card.dataset.entry);
  if (unsent) writeLabel(card, unsent); // after a reload the server's card does not have it
  evidence.showEvidence(judge, card);
  unsure.showUnsure(card);
  showTerms(card);
  for (const button of form.querySelectorAll("[name=relevance]")) {
    button.setAttribute("aria-pressed", button.value === card.dataset.relevance);
  }
  form.querySelector("[data-do=on]").classList.toggle("invisible", isOpen(card));
  closeReasons();
  byId("hit-count").textContent = "";
  reader.scrollTop = 0;
  focusDocument(); // Space and the arrow keys scroll it
  startTime(Number(card.dataset.idleLimit));
}

const focusDocument = () => getCard().querySelector("h1").focus({ preventScroll: true });

// --- labels

/** Write a label that was given to its card, for the case that the judge returns to it. */
function storeAnswer(card, button, label) {
  prefetch.rest();
  if (label.later) {
    sendDrafts(card);
    return;
  }
  storeLabel(card, label);
  setTimeout(() => {
    labelHistory.addLabel(card, button); // after the browser has painted the next document
    countLabel();
  });
}

function storeLabel(card, label) {
  writeLabel(card, label);
  comments.discardDraft();
  evidence.discardDraft();
  unsure.showUnsure(card);
}

/** Before the screen leaves a card with a label: send a changed comment, evidence or mark, with the same label. */
function sendDrafts(card) {
  const { relevance, reason, textChanged } = card.dataset;
  if (isOpen(card) || textChanged || ![comments, evidence, unsure].some(({ isDraft }) => isDraft())) return;
  const answer = { relevance: relevance === "" ? null : Number(relevance), reason };
  storeLabel(card, screen.send(card, createLabel(card, "click", answer)));
}

// --- the number of documents

/** Show the progress in the topic. judged counts the labels that the server has. */
function showProgress({ current, outbox }) {
  const fresh = new Set(outbox.unsent.filter(({ later }) => !later).map(({ entry }) => entry)).size;
  byId("place").textContent = Math.min(judged + fresh + (isOpen(current) ? 1 : 0), total);
  byId("total").textContent = total;
  Object.assign(byId("progress"), { max: total, value: judged + fresh });
}

// --- events

const actions = { ...createActions(getCard), unsure: unsure.toggleUnsure, on: () => screen.dispatch("next") };

/** Show the previous card. If this page has none, the link requests the last label from the server. */
function undo(event) {
  if (!screen.undo()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function handleClick(event) {
  const control = event.target.closest("[data-do]");
  const action = control?.dataset.do;
  if (action === "undo") undo(event);
  else if (control?.type === "button") actions[action]?.(control);
}

document.addEventListener("mousedown", (event) => {
  if (event.target.closest("[data-do=evidence]")) event.preventDefault(); // keep the selection
});
document.addEventListener("click", handleClick, true); // before htmx
listenForKeys({ screen, actions, focusDocument });
listenForParts(reader, getCard);
screen.start();
// Each request renews the leases of a shared topic.
screen.outbox.deliver(screen.state.next.length < MIN_CARDS - 1 || "shared" in root.dataset);
prefetch.start();

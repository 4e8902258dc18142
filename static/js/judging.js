// The judging screen: one press of a key or button labels the card on screen and shows the next card at once; the
// outbox sends the label. Without this script the grades are a plain form.
import { startTime } from "./active_time.js";
import { countLabel } from "./breaks.js";
import * as cards from "./cards.js";
import { getCard, isOpen } from "./cards.js";
import * as comments from "./comments.js";
import "./display_settings.js";
import { listenForParts } from "./document_parts.js";
import * as evidence from "./evidence.js";
import * as highlights from "./highlights.js";
import { closeReasons, listenForKeys } from "./judging_keys.js";
import { createLabel } from "./labels.js";
import { MAX_UNSENT, Outbox } from "./outbox.js";
import { showTerms } from "./own_terms.js";
import * as status from "./status.js";

const READING_DELAY = 250; // ms after a new card in which presses are ignored: the judge has not read it yet
const DOUBLE_CLICK_TIME = 500; // ms, as in Windows and macOS
const MIN_CARDS = 4; // on the page, with the one on screen
const RANDOM_CARDS = 4; // up to so many more, so that judges who began together send requests at different times
const byId = (id) => document.getElementById(id);
const judgingScreen = byId("judging-screen");
const form = byId("grades");
const reader = document.querySelector(".reader");
let shownAt = 0;
let lastPressed = null;
let judged = Number(judgingScreen.dataset.judged);
let total = Number(judgingScreen.dataset.total);

// --- cards

function showCard(card) {
  getCard().replaceWith(card);
  htmx.process(card);
  prepareCard();
}

/** Prepare the screen for the card that it shows: its comment and evidence, the pressed grade, the focus. */
function prepareCard() {
  const card = getCard();
  comments.showComment(judgingScreen.dataset.judge, card);
  evidence.showEvidence(card);
  showTerms(card);
  for (const button of form.querySelectorAll("[name=relevance]")) {
    button.setAttribute("aria-pressed", button.value === card.dataset.relevance);
  }
  form.querySelector("[data-do=on]").classList.toggle("invisible", isOpen(card));
  closeReasons();
  byId("hit-count").textContent = "";
  reader.scrollTop = 0;
  focusDocument(); // Space and the arrow keys scroll it
  startTime();
  shownAt = performance.now();
  setTimeout(refreshScreen, READING_DELAY + 5);
  refreshScreen();
}

function focusDocument() {
  getCard().querySelector("h1").focus({ preventScroll: true });
}

/** Show the next card without a label, if the page has one. */
function showNextOpenCard() {
  const card = cards.takeNextOpenCard();
  if (card) showCard(card);
  else refreshScreen();
}

/** Leave a card that has a label for the next card. */
function showNextCard() {
  if (!cards.countNextCards() || isOpen(getCard())) return;
  sendComment();
  lastPressed = null;
  showCard(cards.takeNextCard());
}

/** Show the previous card. If this page has none, the link requests the last label from the server. */
function undo(event) {
  sendComment();
  lastPressed = null;
  if (!cards.hasPreviousCards()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  showCard(cards.takePreviousCard());
}

// --- labels

const isTooEarly = () => performance.now() - shownAt < READING_DELAY;

/** Label the card. clickCount: consecutive clicks at this place as the browser counts them; 0 for a key. */
function press(button, source, clickCount = 0) {
  if (isTooEarly() || isLabelled() || isBlocked()) return;
  if (isSecondPress(button, clickCount)) {
    status.showNote("Second press ignored");
    return;
  }
  const label = createLabel(getCard(), source, readAnswer(button));
  status.clearOldAlert();
  outbox.add(label);
  lastPressed = button;
  if (!label.later) storeAnswer(label);
  showNextOpenCard();
  if (label.later) return;
  status.addLastGrade(button);
  countLabel();
}

function readAnswer({ name, value }) {
  if (name === "reason") return { reason: value };
  return { [name]: name === "later" || Number(value) };
}

/** Write the label to its card, for the case that the judge returns to it. */
function storeAnswer({ relevance, reason, comment }) {
  comments.discardDraft();
  Object.assign(getCard().dataset, { relevance: relevance ?? "", reason, comment });
}

/** Whether this is the second press of a double click: the judge meant the document before this one. */
function isSecondPress(button, clickCount) {
  const isDoubleClick = clickCount > 0 && clickCount % 2 === 0;
  return button === lastPressed && (isDoubleClick || performance.now() - shownAt < DOUBLE_CLICK_TIME);
}

/** Before the screen leaves a card with a label: send a changed comment, as the same label once more. */
function sendComment() {
  const card = getCard();
  const { relevance, reason, textChanged } = card.dataset;
  if (isOpen(card) || textChanged || !comments.isDraft()) return;
  const label = createLabel(card, "click", { relevance: relevance === "" ? null : Number(relevance), reason });
  outbox.add(label);
  comments.discardDraft();
  card.dataset.comment = label.comment;
}

// --- the outbox, and the status of the screen

/** Return the number of cards to request: none while the page has enough for the duration of a request. */
function countWantedCards(openEntries) {
  const reserve = Math.ceil(outbox.latency / 300);
  const enough = MIN_CARDS + reserve + Math.floor(RANDOM_CARDS * Math.random());
  return openEntries.length > enough ? 0 : Number(judgingScreen.dataset.prefetch) + reserve;
}

function describeRequest() {
  const have = cards.listOpenEntries();
  return {
    judge: Number(judgingScreen.dataset.judge),
    topic: judgingScreen.dataset.topic,
    have,
    want: countWantedCards(have),
  };
}

/** Take the counts, cards and messages of a response. */
function handleResponse(fragment) {
  const { dataset } = fragment.firstElementChild;
  judged = Number(dataset.judged ?? judged);
  total = Number(dataset.total ?? total);
  cards.removeCards(dataset.closed?.split(" ") ?? []);
  cards.addCards(fragment, outbox.listUnsent());
  const readMessages = (selector) =>
    [...fragment.querySelectorAll(selector)].map(({ textContent }) => textContent).join(" ");
  const feedback = readMessages("[data-feedback]");
  const problems = readMessages("[data-problem]");
  if (feedback) status.showAlert(feedback, "note");
  if (problems) status.showAlert(problems);
  continueJudging();
}

const outbox = new Outbox({
  judge: judgingScreen.dataset.judge,
  url: judgingScreen.dataset.outbox,
  describeRequest,
  onResponse: handleResponse,
  onChange: continueJudging,
});

/** Whether no more labels are taken: requests fail, and the server refuses, no card is left, or many labels wait. */
function isBlocked() {
  if (!outbox.failures) return false;
  return outbox.isRefused || (isLabelled() && !cards.countNextCards()) || outbox.listUnsent().length >= MAX_UNSENT;
}

/** Whether the card on screen has got its label. */
function isLabelled() {
  if (cards.isPreviousCard(getCard())) return true;
  const entry = Number(getCard().dataset.entry);
  return isOpen(getCard()) && outbox.listUnsent().some((label) => label.entry === entry);
}

/** Leave a card that has got its label by a press when no next card was there, or in another tab. */
function continueJudging() {
  if (isLabelled() && cards.countNextCards()) showNextOpenCard();
  else refreshScreen();
}

function refreshScreen() {
  const unsent = outbox.listUnsent();
  const fresh = new Set(unsent.filter(({ later }) => !later).map(({ entry }) => entry)).size;
  const blocked = isBlocked();
  const isDisabled = isTooEarly() || isLabelled() || blocked;
  const isCardOpen = isOpen(getCard());
  status.showStatus({
    judged,
    total,
    fresh,
    unsent: unsent.length,
    isOpen: isCardOpen,
    outbox,
    isBlocked: blocked,
  });
  for (const button of form.querySelectorAll("button")) button.disabled = isDisabled;
  judgingScreen.toggleAttribute("data-enabled", !isDisabled);
  if (!isLabelled() || cards.countNextCards() || outbox.isBusy) return;
  if (unsent.length || outbox.failures) outbox.deliver();
  else location.reload(); // the server knows which documents are left
}

// --- events

function openSection(id, field) {
  if (byId(id)) byId(id).open = true;
  field?.focus();
}

function storeEvidence() {
  if (!evidence.storeSelection()) status.showAlert("Select words in the document first, then press again.");
}

const ACTIONS = {
  "next-hit": () => highlights.goToNextHit(getCard()),
  "previous-hit": () => highlights.goToPreviousHit(getCard()),
  "densest-hit": () => highlights.goToDensestHit(getCard()),
  "to-hit": ({ dataset }) => highlights.goToHit(getCard(), dataset.hit),
  "find-hit": () => openSection("terms", byId("own-term")),
  marks: () => highlights.toggleMarks(getCard()),
  "page-down": () => reader.scrollBy({ top: reader.clientHeight * 0.9 }),
  comment: () => openSection("comments", byId("comment")),
  guidelines: () => byId("guidelines")?.toggleAttribute("open"),
  evidence: storeEvidence,
  "clear-evidence": evidence.clearEvidence,
  keys: () => byId("keys").showModal(),
  on: showNextCard,
};

function handleClick(event) {
  const control = event.target.closest("[data-do]");
  const action = control?.dataset.do;
  if (action === "undo") undo(event);
  else if (control?.type === "button") ACTIONS[action]?.(control);
}

function listenForButtons() {
  let clickCount = 0; // of the click that submits the form
  form.addEventListener("click", ({ detail }) => (clickCount = detail));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter) press(event.submitter, "click", clickCount); // Enter in a field has no submitter
  });
  document.addEventListener("mousedown", (event) => {
    if (event.target.closest("[data-do=evidence]")) event.preventDefault(); // keep the selection
  });
  document.addEventListener("click", handleClick, true); // before htmx
  byId("try-now").addEventListener("click", () => outbox.deliver(true, true));
  byId("close-alert").addEventListener("click", status.closeAlert);
}

function listenForUnload() {
  addEventListener("beforeunload", (event) => {
    const isAnythingLost = outbox.listUnsent().length || comments.hasUnstoredDrafts();
    if (isAnythingLost) event.preventDefault(); // the browser asks for confirmation
  });
  addEventListener("pagehide", sendComment);
}

/** htmx replaces the card by one with a label, after "Previous document" or from the list of recent labels. */
function listenForSwaps() {
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.target.id !== "judgment-card") return;
    sendComment();
    if (isOpen(getCard())) cards.copyToNextCards();
  });
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target.id === "judgment-card") prepareCard();
  });
}

listenForKeys({ press, actions: ACTIONS, focusDocument });
listenForButtons();
listenForUnload();
listenForSwaps();
listenForParts(reader, getCard);
cards.addCards(byId("outbox").content ?? byId("outbox"), outbox.listUnsent());
prepareCard();
if (isLabelled()) showNextOpenCard(); // its label was given before a reload and is not sent yet
const isLeaseRenewed = "shared" in judgingScreen.dataset; // each request renews the leases of a shared topic
outbox.deliver(cards.countNextCards() < MIN_CARDS - 1 || isLeaseRenewed);

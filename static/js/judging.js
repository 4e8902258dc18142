// The judging screen: one press of a key or button labels the card on screen and shows the next card at once; the
// outbox sends the label. Without this script the grades are a plain form.
import { startTime } from "./active_time.js";
import { countLabel } from "./breaks.js";
import { listenForSwaps } from "./card_swaps.js";
import * as cards from "./cards.js";
import { getCard, isOpen } from "./cards.js";
import * as comments from "./comments.js";
import "./display_settings.js";
import { listenForParts } from "./document_parts.js";
import { hasUnstoredDrafts, restoreComment } from "./drafts.js";
import * as evidence from "./evidence.js";
import { createActions } from "./judging_actions.js";
import { closeReasons, listenForKeys } from "./judging_keys.js";
import * as labelHistory from "./label_history.js";
import { createLabel, readAnswer } from "./labels.js";
import { MAX_UNSENT, Outbox } from "./outbox.js";
import { showTerms } from "./own_terms.js";
import { leavePage, mustWait, wasMoved } from "./page_moves.js";
import * as guard from "./press_guard.js";
import * as status from "./status.js";

const PREFETCH_DELAY = 1000; // ms until the page requests more cards, and a random part of up to 2000
const byId = (id) => document.getElementById(id);
const judgingScreen = byId("judging-screen");
const form = byId("grades");
const reader = document.querySelector(".reader");
let isStopped = false; // the campaign takes no labels
let isLoading = false; // the server was asked for another card
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
  const unsent = outbox.listUnsent().findLast(({ entry, later }) => !later && String(entry) === card.dataset.entry);
  if (unsent) cards.writeLabel(card, unsent); // after a reload the server's card does not have it
  comments.showComment(judgingScreen.dataset.judge, card);
  evidence.showEvidence(judgingScreen.dataset.judge, card);
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
  guard.startReading(refreshScreen);
  refreshScreen();
}

const focusDocument = () => getCard().querySelector("h1").focus({ preventScroll: true });

/** Show the next card without a label, if the page has one. */
function showNextOpenCard() {
  const card = cards.takeNextOpenCard();
  if (card) showCard(card);
  else refreshScreen();
}

/** Leave a card that has a label for the next card. */
function showNextCard() {
  if (!cards.countNextCards() || isOpen(getCard())) return;
  sendDrafts();
  guard.setLastPressed(null);
  showCard(cards.takeNextCard());
}

/** Show the previous card. If this page has none, the link requests the last label from the server. */
function undo(event) {
  sendDrafts();
  guard.setLastPressed(null);
  if (!cards.hasPreviousCards()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  showCard(cards.takePreviousCard());
}

// --- labels

const isDisabled = () => guard.isTooEarly() || isLoading || isLabelled() || isBlocked();

/** Label the card. source: "key" or "click"; event: of the key or the click. */
function press(button, source, event) {
  if (isDisabled() || guard.isTooEarly(event.timeStamp)) return;
  if (guard.isSecondPress(button, event)) {
    status.showNote("Second press ignored");
    return;
  }
  const card = getCard();
  const label = createLabel(card, source, readAnswer(button));
  status.clearOldAlert();
  outbox.add(label);
  guard.setLastPressed(button);
  guard.expectMove();
  if (label.later) sendDrafts();
  else storeAnswer(label);
  showNextOpenCard();
  if (label.later) return;
  setTimeout(() => labelHistory.addLabel(card, button)); // after the browser has painted the next document
  countLabel();
}

/** Write the label to its card, for the case that the judge returns to it. */
function storeAnswer(label) {
  cards.writeLabel(getCard(), label);
  comments.discardDraft();
  evidence.discardDraft();
}

/** Before the screen leaves a card with a label: send changed comment and evidence, with the same label once more. */
function sendDrafts() {
  const card = getCard();
  const { relevance, reason, textChanged } = card.dataset;
  if (isOpen(card) || textChanged || !(comments.isDraft() || evidence.isDraft())) return;
  const label = createLabel(card, "click", { relevance: relevance === "" ? null : Number(relevance), reason });
  outbox.add(label);
  storeAnswer(label);
}

// --- the outbox, and the status of the screen

function describeRequest() {
  const { judge, topic, prefetch } = judgingScreen.dataset;
  const want = cards.countWantedCards(Number(prefetch), outbox.latency);
  return { judge: Number(judge), topic, have: cards.listOpenEntries(), want };
}

/** Take the counts, cards and messages of a response. */
function handleResponse(fragment, labels) {
  const { dataset } = fragment.firstElementChild;
  [judged, total] = [Number(dataset.judged ?? judged), Number(dataset.total ?? total)];
  isStopped = "stopped" in dataset;
  const problems = [...fragment.querySelectorAll("[data-problem]")];
  for (const { parentNode } of problems) takeBack(labels.find(({ uuid }) => uuid === parentNode.dataset.uuid));
  cards.removeCards(dataset.closed?.split(" ") ?? []);
  cards.addCards(fragment, outbox.listUnsent());
  const feedback = [...fragment.querySelectorAll("[data-feedback]")];
  if (feedback.length) status.showAlert(feedback.map(({ textContent }) => textContent).join(" "), "note");
  if (problems.length) status.showAlert(problems.map(({ textContent }) => textContent).join(" "));
  continueJudging();
}

/** Forget a label that the server has refused, but not its comment. The document comes again if it is still open. */
function takeBack(label) {
  if (!label) return;
  restoreComment(judgingScreen.dataset.judge, label);
  cards.removeCards([String(label.entry)]);
  labelHistory.removeLabel(label.entry);
}

const outbox = new Outbox({
  judge: judgingScreen.dataset.judge,
  url: judgingScreen.dataset.outbox,
  describeRequest,
  onResponse: handleResponse,
  onChange: continueJudging,
});

/** Whether no more labels are taken: the server refuses, or requests fail and no card is left or many labels wait. */
function isBlocked() {
  if (isStopped) return true;
  if (!outbox.failures) return false;
  return outbox.isRefused || (isLabelled() && !cards.countNextCards()) || outbox.listUnsent().length >= MAX_UNSENT;
}

/** Whether the card on screen has got its label. */
function isLabelled() {
  if (cards.isPreviousCard(getCard()) || cards.isRemoved(getCard())) return true;
  const entry = Number(getCard().dataset.entry);
  return isOpen(getCard()) && outbox.listUnsent().some((label) => label.entry === entry);
}

/** Leave a card that has got its label by a press when no next card was there, or in another tab. */
function continueJudging() {
  if (!isLabelled() || !cards.countNextCards() || mustWait(continueJudging)) {
    refreshScreen();
    return;
  }
  sendDrafts();
  guard.startRest(refreshScreen);
  showNextOpenCard();
}

function refreshScreen() {
  const unsent = outbox.listUnsent();
  const fresh = new Set(unsent.filter(({ later }) => !later).map(({ entry }) => entry)).size;
  status.showStatus({
    judged,
    total,
    fresh,
    unsent: unsent.length,
    isOpen: isOpen(getCard()),
    outbox,
    isBlocked: isBlocked(),
    isRefused: isStopped || outbox.isRefused,
  });
  const disabled = isDisabled();
  for (const button of form.querySelectorAll("button")) button.disabled = disabled;
  judgingScreen.toggleAttribute("data-enabled", !disabled);
  if (!isLabelled() || cards.countNextCards() || outbox.isBusy || isStopped) return;
  if (unsent.length || outbox.failures) outbox.deliver();
  else if (!mustWait(continueJudging)) reloadPage();
}

/** Ask the server which documents are left. A comment that was changed after the label is sent before. */
function reloadPage() {
  sendDrafts();
  if (!outbox.listUnsent().length) leavePage(() => location.reload());
}

// --- events

const actions = { ...createActions(getCard), on: showNextCard };

function handleClick(event) {
  const control = event.target.closest("[data-do]");
  const action = control?.dataset.do;
  if (action === "undo") undo(event);
  else if (control?.type === "button") actions[action]?.(control);
}

function listenForButtons() {
  let click = null; // the one that submits the form
  form.addEventListener("click", (event) => (click = event));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter) press(event.submitter, "click", click ?? event); // Enter in a field has no submitter
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
    const isAnythingLost = outbox.listUnsent().length || hasUnstoredDrafts();
    if (isAnythingLost) event.preventDefault(); // the browser asks for confirmation
  });
  addEventListener("pagehide", sendDrafts);
}

function setLoading(value) {
  isLoading = value;
  refreshScreen();
}

/** Another tab has labelled a document: this tab goes on if it shows it, and forgets its cards of it. */
function listenForOtherTabs() {
  addEventListener("storage", ({ key, newValue }) => {
    if (!newValue || !key?.startsWith(outbox.prefix)) return;
    cards.removeCards([String(JSON.parse(newValue).entry)]);
    continueJudging();
  });
}

/** Request cards for the case that the network fails. Judges often open a topic at the same time, so not at once. */
function prefetchCards() {
  const wanted = Math.min(Number(judgingScreen.dataset.prefetch), total - judged);
  if (cards.listOpenEntries().length < wanted) outbox.deliver(true);
}

listenForKeys({ press, actions, focusDocument });
listenForButtons();
listenForUnload();
listenForSwaps({ setLoading, sendDrafts, prepareCard });
listenForParts(reader, getCard);
listenForOtherTabs();
cards.addCards(byId("outbox").content ?? byId("outbox"), outbox.listUnsent());
cards.removeOpenCards(outbox.listDelivered());
const wasLabelled = isLabelled(); // before a reload, and the label is not sent yet
prepareCard();
if (wasLabelled) showNextOpenCard();
if (wasMoved()) guard.startRest(refreshScreen);
// Each request renews the leases of a shared topic.
outbox.deliver(cards.countNextCards() < cards.MIN_CARDS - 1 || "shared" in judgingScreen.dataset);
setTimeout(prefetchCards, PREFETCH_DELAY + 2000 * Math.random());

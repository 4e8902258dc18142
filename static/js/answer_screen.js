// A screen with a form that answers the card on screen: the decision of an adjudicator, the vote in a panel. One press
// shows the next card at once; the outbox sends the answer.
import * as cards from "./cards.js";
import { getCard, isOpen } from "./cards.js";
import * as comments from "./comments.js";
import { hasUnstoredDrafts, restoreComment } from "./drafts.js";
import { MAX_UNSENT, Outbox } from "./outbox.js";
import { leavePage, mustWait, wasMoved } from "./page_moves.js";
import * as guard from "./press_guard.js";
import * as status from "./status.js";
import { createUuid } from "./uuid.js";

const CARDS_AHEAD = 3; // on the page, with the one on screen
const byId = (id) => document.getElementById(id);

export class AnswerScreen {
  /**
   * root: its data has the judge, the URL of the outbox, and the page to open when no card is left; form: its submit
   * buttons are the answers. createAnswer(card, button, source) returns the fields of an answer; noun: such as "vote";
   * showCard(card) prepares the screen for a card.
   */
  constructor({ root, form, noun, createAnswer, showCard }) {
    const { judge, outbox: url } = root.dataset;
    Object.assign(this, { root, form, noun, createAnswer, showCard, drafts: `${noun} ${judge}` });
    this.outbox = new Outbox({
      judge,
      url,
      describeRequest: () => this.describeRequest(),
      onResponse: (fragment, answers) => this.handleResponse(fragment, answers),
      onChange: () => this.goOn(),
    });
    this.listen();
  }

  /** Show the first card, or the next one if it has an unsent answer, and request more. */
  start() {
    const unsent = this.outbox.listUnsent();
    cards.addCards(byId("outbox"), unsent);
    const last = unsent.findLast(({ entry }) => String(entry) === getCard().dataset.entry);
    if (last && !last.revokes) getCard().dataset.relevance = "unsent";
    this.prepare();
    this.goOn();
    if (wasMoved()) guard.startRest(() => this.refresh());
    this.outbox.deliver(true);
  }

  show(card) {
    getCard().replaceWith(card);
    htmx.process(card);
    this.prepare();
  }

  prepare() {
    this.isSkipWanted = false;
    comments.showComment(this.drafts, getCard());
    this.showCard(getCard());
    guard.startReading(() => this.refresh());
    this.refresh();
  }

  // --- answers

  /** Answer the card. source: "key" or "click"; event: of the key or the click. */
  press(button, source, event) {
    if (this.isDisabled() || guard.isTooEarly(event.timeStamp)) return;
    if (guard.isSecondPress(button, event)) {
      status.showNote("Second press ignored");
      return;
    }
    if (!this.form.reportValidity()) return;
    status.clearOldAlert();
    const card = getCard();
    const uuid = createUuid();
    const { entry, docno } = card.dataset;
    this.outbox.add({ uuid, entry: Number(entry), docno, ...this.createAnswer(card, button, source) });
    Object.assign(card.dataset, { relevance: button.value, uuid, comment: comments.readComment() });
    comments.discardDraft();
    guard.setLastPressed(button);
    guard.expectMove();
    this.showNextCard();
  }

  showNextCard() {
    const card = cards.takeNextOpenCard();
    if (card) this.show(card);
    else this.refresh();
  }

  /** Leave the card on screen without an answer; if no next card is there, as soon as one comes. */
  skip() {
    guard.setLastPressed(null);
    guard.expectMove();
    this.isSkipWanted = !cards.countNextCards();
    if (this.isSkipWanted) status.showNote("No other document is ready.");
    else this.show(cards.skipCard());
    this.outbox.deliver(true);
  }

  /** Show the last card that was answered on this page, and revoke its answer. Returns false if there is none. */
  undo() {
    guard.setLastPressed(null);
    if (!cards.hasPreviousCards()) return false;
    const card = cards.takePreviousCard();
    const { entry, docno, uuid, relevance } = card.dataset;
    this.outbox.add({ uuid: createUuid(), entry: Number(entry), docno, revokes: uuid });
    Object.assign(card.dataset, { relevance: "", undone: relevance });
    this.show(card);
    return true;
  }

  // --- the outbox, and the status of the screen

  describeRequest() {
    const { judge, topic = "", query = "" } = this.root.dataset;
    return { judge: Number(judge), topic, query, have: cards.listOpenEntries(), want: CARDS_AHEAD };
  }

  handleResponse(fragment, answers) {
    const problems = [...fragment.querySelectorAll("[data-problem]")];
    for (const { dataset } of problems) this.takeBack(answers.find(({ uuid }) => uuid === dataset.uuid));
    cards.removeCards(fragment.firstElementChild.dataset.closed.split(" "));
    cards.addCards(fragment, this.outbox.listUnsent());
    for (const part of fragment.querySelectorAll("[data-replaces]")) {
      const selector = part.dataset.replaces;
      const { childNodes } = part.querySelector(selector) ?? part;
      document.querySelector(selector)?.replaceChildren(...childNodes);
    }
    if (problems.length) status.showAlert(problems.map(({ textContent }) => textContent).join(" "));
    this.goOn();
  }

  /** Forget an answer that the server has refused, but not its comment. */
  takeBack(answer) {
    if (!answer) return;
    restoreComment(this.drafts, { entry: answer.entry, comment: answer.why ?? answer.reason });
    cards.removeCards([String(answer.entry)]);
  }

  isAnswered() {
    return !isOpen(getCard()) || cards.isRemoved(getCard());
  }

  isDisabled() {
    const isFull = this.outbox.failures > 0 && this.outbox.listUnsent().length >= MAX_UNSENT;
    return guard.isTooEarly() || this.isAnswered() || isFull || this.outbox.isRefused;
  }

  /** Leave a card that has its answer when a next card is there. */
  goOn() {
    const isLeft = cards.countNextCards() && (this.isAnswered() || this.isSkipWanted);
    if (!isLeft || mustWait(() => this.goOn())) {
      this.refresh();
      return;
    }
    guard.startRest(() => this.refresh());
    if (this.isAnswered()) this.showNextCard();
    else {
      this.show(cards.skipCard());
      this.outbox.deliver(true);
    }
  }

  refresh() {
    const disabled = this.isDisabled();
    for (const button of this.form.querySelectorAll("button[name]")) button.disabled = disabled;
    this.root.toggleAttribute("data-enabled", !disabled);
    status.showUnsent(this.outbox, this.noun);
    if (!this.isAnswered() || cards.countNextCards() || this.outbox.isBusy) return;
    if (this.outbox.listUnsent().length || this.outbox.failures) this.outbox.deliver();
    else if (!mustWait(() => this.goOn())) leavePage(() => location.assign(this.root.dataset.page));
  }

  listen() {
    let click = null; // the one that submits the form
    this.form.addEventListener("click", (event) => (click = event));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.submitter) this.press(event.submitter, "click", click ?? event); // Enter in a field has no submitter
    });
    addEventListener("beforeunload", (event) => {
      if (this.outbox.listUnsent().length || hasUnstoredDrafts()) event.preventDefault();
    });
    byId("try-now").addEventListener("click", () => this.outbox.deliver(true, true));
    byId("close-alert").addEventListener("click", status.closeAlert);
  }
}

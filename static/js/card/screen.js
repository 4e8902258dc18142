// Carries out on the page what state.js decides: shows cards, gives answers to the outbox, enables the buttons.
import * as comments from "../comments.js";
import { hasUnstoredDrafts, restoreComment } from "../drafts.js";
import { Outbox } from "../outbox.js";
import { createUuid } from "../uuid.js";
import { UNSENT_DELAY, countMore, createState, getPhase, isBlocked, listOpenEntries, transition } from "./state.js";
import * as status from "./status.js";
import { describeUse, leavePage, listenForRelease, wasMoved } from "./use.js";

const byId = (id) => document.getElementById(id);
const listCards = (fragment) =>
  [...fragment.querySelectorAll("template")].map(({ content }) => content.firstElementChild);

/** Return the element of the card on screen. */
export const getCard = () => byId("judgment-card");

function listenForSwap(name, handle) {
  document.addEventListener(`htmx:${name}`, ({ detail }) => detail.target.id === getCard().id && handle(detail));
}

export class CardScreen {
  /**
   * root: its data has the judge, the URL of the outbox, and the page to open when no card is left (none: this page);
   * form: its submit buttons with a name are the answers; words: noun, activity and card; drafts: names the drafts of
   * the comments; comment: the field of an answer that has the comment.
   * createAnswer(card, button, source) returns the fields of an answer; storeAnswer(card, button, answer) notes it on
   * the card; prepare(card) prepares the screen for a card; describeRequest() returns fields for each request.
   * Optional: finish(card), before another card is shown without an answer to this one; revoke(card), when "undo"
   * shows a card again; onResponse(data), onRefusal(answer), onRefresh(state).
   */
  constructor(options) {
    Object.assign(this, options);
    const { judge, outbox: url } = this.root.dataset;
    this.state = createState(getCard());
    this.outbox = new Outbox({
      judge,
      url,
      describeRequest: () => this.describeRequest(),
      onResponse: (fragment, answers) => this.handleResponse(fragment, answers),
      onChange: () => this.dispatch("sent"),
    });
    this.listen();
  }

  /** Show the first card, or the next one if it has an unsent answer. */
  start() {
    const cards = listCards(byId("outbox").content ?? byId("outbox"));
    this.dispatch("start", { cards, delivered: this.outbox.listDelivered(), wasMoved: wasMoved() });
  }

  finish() {}
  revoke() {}
  onResponse() {}
  onRefusal() {}
  onRefresh() {}

  // --- the state machine

  dispatch(type, fields = {}) {
    const { state, effects } = transition(this.state, { type, ...this.observe(), ...fields });
    this.state = state;
    for (const effect of effects) this.carryOut(effect);
    this.refresh();
  }

  /** Return what is true outside of the state. */
  observe() {
    const { failures, isRefused, isBusy } = this.outbox;
    const outbox = { unsent: this.outbox.listUnsent(), failures, isRefused, isBusy };
    return { now: performance.now(), use: describeUse(), outbox };
  }

  carryOut({ type, card, button, source, text, stays, delay }) {
    const acts = {
      show: () => this.show(card),
      prepare: () => this.prepareCard(card),
      answer: () => this.answer(card, button, source),
      finish: () => this.finish(card),
      return: () => this.revoke(card),
      note: () => status.showNote(text, stays),
      complain: () => this.form.reportValidity(),
      "clear-selection": () => getSelection().removeAllRanges(),
      wake: () => setTimeout(() => this.dispatch("tick"), delay),
      deliver: () => this.outbox.deliver(),
      request: () => this.outbox.deliver(true),
      leave: () => this.leave(),
    };
    acts[type]();
  }

  show(card) {
    getCard().replaceWith(card);
    htmx.process(card);
    this.prepareCard(card);
  }

  prepareCard(card) {
    this.prepare(card);
    comments.showComment(this.drafts, card);
    requestAnimationFrame(() => setTimeout(() => this.dispatch("painted")));
  }

  answer(card, button, source) {
    status.clearOldAlert();
    status.showNote("", true); // a press before this one did not count
    this.storeAnswer(card, button, this.send(card, this.createAnswer(card, button, source)));
  }

  /** Give an answer, or its revocation, to the outbox. */
  send({ dataset }, fields) {
    const answer = { uuid: createUuid(), entry: Number(dataset.entry), docno: dataset.docno, ...fields };
    this.outbox.add(answer);
    return answer;
  }

  /** Ask the server what is left. A comment that was changed after its answer is sent before. */
  leave() {
    const { page } = this.root.dataset;
    if (!this.outbox.listUnsent().length) leavePage(() => (page ? location.assign(page) : location.reload()));
  }

  refresh() {
    const state = { ...this.state, ...this.observe() };
    const phase = getPhase(state);
    const isEnabled = ["ready", "reading", "resting"].includes(phase); // they keep their look during a short wait
    for (const button of this.form.querySelectorAll("button[name]")) button.disabled = !isEnabled;
    this.root.toggleAttribute("data-enabled", phase === "ready");
    const { unsent, failures, isRefused } = state.outbox;
    status.showStatus(
      {
        unsent: unsent.length,
        isLate: unsent.length > 0 && performance.timeOrigin + state.now - unsent[0].pressed >= UNSENT_DELAY,
        failures,
        error: this.outbox.error,
        more: countMore(state),
        unstored: this.outbox.unstored.size,
        isRefused,
        isBlocked: isBlocked(state),
        isClosed: state.isStopped || isRefused,
        isSignedOut: this.outbox.isSignedOut,
      },
      this.words,
    );
    this.onRefresh(state);
  }

  // --- what the page asks for

  /** Answer the card. source: "key" or "click"; event: of the key or the click. */
  press(button, source, { timeStamp: time, detail }) {
    this.dispatch("press", { button, source, time, detail, isValid: this.form.checkValidity() });
  }

  /** Show the previous card. Returns whether this page has one. */
  undo() {
    const hasPrevious = this.state.previous.length > 0;
    this.dispatch("undo");
    return hasPrevious;
  }

  listOpenEntries() {
    return listOpenEntries(this.state);
  }

  isResting() {
    return getPhase({ ...this.state, ...this.observe() }) === "resting";
  }

  // --- the server's answers

  handleResponse(fragment, answers) {
    const { dataset } = fragment.firstElementChild;
    const problems = [...fragment.querySelectorAll("[data-problem]")];
    const uuids = new Set(problems.map((problem) => problem.closest("[data-uuid]")?.dataset.uuid));
    const refused = answers.filter(({ uuid }) => uuids.has(uuid));
    for (const answer of refused) this.takeBack(answer);
    for (const part of fragment.querySelectorAll("[data-replaces]")) {
      const selector = part.dataset.replaces;
      const { childNodes } = part.querySelector(selector) ?? part;
      document.querySelector(selector)?.replaceChildren(...childNodes);
    }
    const feedback = [...fragment.querySelectorAll("[data-feedback]")];
    if (feedback.length) status.showAlert(feedback.map(({ textContent }) => textContent).join(" "), "note");
    if (problems.length) status.showAlert(problems.map(({ textContent }) => textContent).join(" "));
    this.onResponse(dataset);
    const closed = [...refused.map(({ entry }) => String(entry)), ...(dataset.closed?.split(" ") ?? [])];
    const order = dataset.order?.split(" ");
    this.dispatch("response", { closed, cards: listCards(fragment), order, isStopped: "stopped" in dataset });
  }

  /** Make the comment of an answer that the server has refused a draft again. */
  takeBack(answer) {
    restoreComment(this.drafts, { entry: answer.entry, comment: answer[this.comment] });
    this.onRefusal(answer);
  }

  // --- events

  listen() {
    let click = null; // the one that submits the form
    this.form.addEventListener("click", (event) => (click = event));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.submitter) this.press(event.submitter, "click", click ?? event); // Enter in a field has no submitter
    });
    byId("try-now").addEventListener("click", () => this.outbox.deliver(true, true));
    byId("close-alert").addEventListener("click", status.closeAlert);
    addEventListener("beforeunload", (event) => {
      if (this.outbox.listUnsent().length || hasUnstoredDrafts()) event.preventDefault(); // the browser asks
    });
    addEventListener("pagehide", () => this.finish(getCard()));
    addEventListener("storage", (event) => this.handleOtherTab(event));
    for (const type of ["keydown", "keyup", "pointerdown"]) {
      document.addEventListener(type, () => this.noteAct(type), true);
    }
    listenForRelease(
      () => this.state.isMoveWaiting,
      () => this.dispatch("released"),
    );
    this.listenForSwaps();
  }

  /** Note a key or a pointer; it changes nothing on the page. */
  noteAct(kind) {
    this.state = transition(this.state, { type: "act", kind, now: performance.now() }).state;
  }

  /** Another tab has answered a document: this tab goes on if it shows it, and forgets its cards of it. */
  handleOtherTab({ key, newValue }) {
    if (!newValue || !key?.startsWith(this.outbox.prefix)) return;
    const { entry, url, revokes } = JSON.parse(newValue);
    if (url === this.outbox.url && !revokes) this.dispatch("elsewhere", { entry });
  }

  /** htmx replaces the card by one with an answer, after "Previous document" or from the list of recent labels. */
  listenForSwaps() {
    listenForSwap("beforeRequest", () => this.dispatch("loading"));
    listenForSwap("afterRequest", ({ successful }) => {
      this.dispatch("loaded");
      if (!successful) status.showAlert("The document could not be loaded. Try again.");
    });
    listenForSwap("beforeSwap", (detail) => {
      if (!detail.shouldSwap) return;
      this.dispatch("replacing", { copy: getCard().cloneNode(true) });
      if (this.state.use) detail.shouldSwap = false; // the person has begun to type: the card stays
    });
    listenForSwap("afterSwap", () => this.dispatch("replaced", { card: getCard() }));
  }
}

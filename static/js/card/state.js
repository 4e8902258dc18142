// The state machine of a screen that shows one document (the card) and takes one answer to it: judging, adjudication,
// votes. It is pure: transition(state, event) returns the next state and the effects that screen.js carries out.
//
// A card is its element, or any object with a dataset: entry, relevance and reason; an open card has no answer yet.
// Every event has a type and what was true when it came: now (ms); use, what ends the use of a field, a dialog or a
// selection, in words ("" if none is in use); outbox: unsent answers, failures, isRefused, isBusy.
import * as guard from "./guard.js";

export const MAX_UNSENT = 50; // answers that may wait while requests fail; then no more are taken
export const UNSENT_DELAY = 2000; // ms that an answer may be on its way before the screen says that it is not sent
const IDLE_OUTBOX = { unsent: [], failures: 0, isRefused: false, isBusy: false };

/** Return the state of a page that has one card. */
export const createState = (current) => ({
  current, // the card on screen
  next: [],
  previous: [], // cards that were on screen; the last one is shown again by "undo". Has `current` once it is answered
  isRemoved: false, // `current` was answered in another tab, was given to somebody else, or has a new text
  isSkipWanted: false, // `current` is left without an answer as soon as a next card comes
  isMoveWaiting: false, // a move that the person did not start waits until nothing is in use
  isLoading: false, // the server was asked for a card that replaces `current`
  isStopped: false, // the campaign takes no answers
  guard: guard.createGuard(),
  now: 0,
  use: "",
  outbox: IDLE_OUTBOX,
});

/** Return the next state and the effects of an event. */
export function transition(state, event) {
  const { now, use = "", outbox = state.outbox } = event;
  return HANDLERS[event.type]({ ...state, now, use, outbox }, event);
}

// --- questions

/** Whether a card has no answer. */
export const isOpen = ({ dataset }) => !dataset.relevance && !dataset.reason;

/** Whether the card on screen has its answer, or needs none any more. */
export function isAnswered({ current, previous, isRemoved, outbox }) {
  if (isRemoved || previous.includes(current)) return true;
  const last = outbox.unsent.findLast(({ entry }) => String(entry) === current.dataset.entry);
  return isOpen(current) && last !== undefined && !last.revokes;
}

/** Whether no more answers are taken: the server refuses, or requests fail and no card is left or many answers wait. */
export function isBlocked(state) {
  const { isStopped, next, outbox } = state;
  if (isStopped || !outbox.failures) return isStopped;
  return outbox.isRefused || (isAnswered(state) && !next.length) || outbox.unsent.length >= MAX_UNSENT;
}

/**
 * Return the phase of the screen: "ready" for an answer, "reading" just after the card was shown, "resting" after a
 * move that the person did not start, "answered" until the next card comes, "loading" until a card is replaced, or
 * "blocked". Only "ready" takes an answer; "reading" and "resting" pass with time.
 */
export function getPhase(state) {
  if (isBlocked(state)) return "blocked";
  if (state.isLoading) return "loading";
  if (isAnswered(state)) return "answered";
  if (guard.isResting(state.guard, state.now)) return "resting";
  return guard.isTooEarly(state.guard, state.now) ? "reading" : "ready";
}

/** Return the cards without an answer. */
export const listOpenCards = ({ current, next }) => [current, ...next].filter(isOpen);

/** Return the entries of the cards without an answer. */
export const listOpenEntries = (state) => listOpenCards(state).map(({ dataset }) => Number(dataset.entry));

/** Return how many answers can be given after the one to the card on screen while requests fail. */
export const countMore = ({ next, outbox }) =>
  Math.max(0, Math.min(next.filter(isOpen).length, MAX_UNSENT - outbox.unsent.length));

// --- parts of transitions

const result = (state, ...effects) => ({ state, effects });
const say = (text, stays = false) => ({ type: "note", text, stays });
const wake = (delay) => ({ type: "wake", delay });
const forgetPress = (state) => ({ ...state, guard: { ...state.guard, lastPressed: null } });

/** The card on screen becomes a previous one, unless it is one already or was removed. */
function leaveCurrent(state) {
  const { current, previous, isRemoved } = state;
  return isRemoved || previous.includes(current) ? state : { ...state, previous: [...previous, current] };
}

/** Another card is on screen: what was noted about the one before is over. */
const settle = (state, current) => ({
  ...state,
  current,
  isRemoved: false,
  isSkipWanted: false,
  guard: guard.startReading(state.guard, state.now),
});

function show(state, card, ...before) {
  return result(settle(state, card), ...before, { type: "show", card });
}

/** Go to the next card without an answer; those before it have theirs, and become previous ones. */
function showNextOpen(state, ...before) {
  const left = leaveCurrent(state);
  const index = left.next.findIndex(isOpen);
  if (index < 0) return result({ ...left, next: [], previous: [...left.previous, ...left.next] }, ...before);
  const previous = [...left.previous, ...left.next.slice(0, index)];
  return show({ ...left, previous, next: left.next.slice(index + 1) }, left.next[index], ...before);
}

const finish = ({ current }) => ({ type: "finish", card: current });

/** Show the next card without an answer to this one, which a response may bring again, and request more. */
function showSkipped(state) {
  const { state: after, effects } = show({ ...state, next: state.next.slice(1) }, state.next[0]);
  return result(after, ...effects, { type: "request" });
}

function wait(state) {
  return result({ ...state, isMoveWaiting: true }, say(`The next document follows when you ${state.use}.`, true));
}

/** Start a rest before a card is shown that the person did not ask for. */
function rest(state) {
  const rested = guard.startRest(state.guard, state.now);
  return rested === state.guard ? [state] : [{ ...state, guard: rested }, wake(guard.REST_TIME + 5)];
}

/** Leave the card on screen if it has its answer and a next card is there; without one, ask for what is left. */
function goOn(state) {
  const answered = isAnswered(state);
  if (!answered && !state.isSkipWanted) return result(state);
  if (state.next.length) {
    if (state.use) return wait(state);
    const [rested, ...effects] = rest(state);
    const moved = answered ? showNextOpen(rested, finish(state)) : showSkipped(rested);
    return result(moved.state, ...moved.effects, ...effects);
  }
  if (!answered || state.isStopped || state.outbox.isBusy) return result(state);
  if (state.outbox.unsent.length || state.outbox.failures) return result(state, { type: "deliver" });
  return state.use ? wait(state) : result(state, finish(state), { type: "leave" });
}

function removeCopies(state, entries) {
  const isOther = ({ dataset }) => !entries.includes(dataset.entry);
  return { ...state, next: state.next.filter(isOther), previous: state.previous.filter(isOther) };
}

/** Remove the cards of some entries. One that is on screen stays there until the next card is shown. */
function removeCards(state, entries) {
  const isRemoved = state.isRemoved || entries.includes(state.current.dataset.entry);
  return { ...removeCopies(state, entries), isRemoved };
}

/**
 * Add new cards, but not those with an unsent answer. Cards with an answer come first, the others in an order of their
 * entries, or behind those that were there.
 */
function addCards(state, cards, order = []) {
  const known = new Set([state.current, ...state.next].map(({ dataset }) => dataset.entry));
  for (const { entry } of state.outbox.unsent) known.add(String(entry));
  const added = cards.filter(({ dataset }) => !known.has(dataset.entry));
  const places = new Map(order.map((entry, place) => [entry, place]));
  const findPlace = ({ dataset }) => places.get(dataset.entry) ?? order.length;
  const compare = (one, other) => isOpen(one) - isOpen(other) || findPlace(one) - findPlace(other);
  return { ...state, next: [...state.next, ...added].toSorted(compare) };
}

// --- events

const HANDLERS = {
  /**
   * The page is ready. cards: the next ones; delivered: entries whose answers the server has stored since the page was
   * requested, perhaps after it had rendered the page; wasMoved: the person did not ask for this page.
   */
  start(state, { cards, delivered, wasMoved }) {
    const full = addCards(state, cards);
    const open = new Set(listOpenEntries(full).map(String));
    const reading = settle(full, state.current);
    const begun = removeCards(
      reading,
      delivered.map(String).filter((entry) => open.has(entry)),
    );
    const prepare = { type: "prepare", card: state.current };
    const opened = isAnswered(begun) ? showNextOpen(begun, prepare) : result(begun, prepare);
    const [rested, ...effects] = wasMoved ? rest(opened.state) : [opened.state];
    return result(rested, ...opened.effects, ...effects);
  },

  /** button: has a name and a value; time, detail: of the event; isValid: the form's other fields can be sent. */
  press(state, { button, source, time, detail, isValid = true }) {
    const phase = getPhase(state);
    if (phase === "resting") return result(state, say("This came by itself: wait a second, then press"));
    if (!["ready", "reading"].includes(phase)) return result(state);
    if (guard.isSecondPress(state.guard, button, time, detail)) return result(state, say("Second press ignored"));
    const isEarly = phase === "reading" || guard.isTooEarly(state.guard, time);
    if (isEarly) return result(state, say("Not counted: this had just appeared"));
    if (!isValid) return result(state, { type: "complain" });
    const lastPressed = { name: button.name, value: button.value };
    const pressed = { ...state, guard: guard.expectMove({ ...state.guard, lastPressed }, state.now) };
    const answer = { type: "answer", card: state.current, button, source };
    return showNextOpen(pressed, answer, { type: "clear-selection" }, wake(UNSENT_DELAY));
  },

  /** Show the previous card. If this page has none, the server may have it. */
  undo(state) {
    const before = forgetPress(state);
    const { current, next, previous, isRemoved } = before;
    if (!previous.length) return result(before, finish(state));
    const isForgotten = isRemoved || previous.includes(current);
    const card = previous.at(-1);
    const returned = { ...before, previous: previous.slice(0, -1), next: isForgotten ? next : [current, ...next] };
    return show(returned, card, finish(state), { type: "return", card });
  },

  /** Leave a card that has an answer for the next one. */
  next(state) {
    if (!state.next.length || isOpen(state.current)) return result(state);
    const left = leaveCurrent(forgetPress(state));
    return show({ ...left, next: left.next.slice(1) }, left.next[0], finish(state));
  },

  /** Leave the card on screen without an answer; if no next card is there, as soon as one comes. */
  skip(state) {
    const before = forgetPress({ ...state, guard: guard.expectMove(state.guard, state.now) });
    const clear = { type: "clear-selection" };
    if (!state.next.length) {
      const note = say("No other document is ready.");
      return result({ ...before, isSkipWanted: true }, clear, note, { type: "request" });
    }
    const skipped = showSkipped(before);
    return result(skipped.state, clear, ...skipped.effects);
  },

  /**
   * The server answered. closed: entries whose cards are to be removed; cards: new ones; order: entries in the order
   * of the queue, if a new card may come before those that the page has.
   */
  response(state, { closed, cards, order, isStopped = false }) {
    return goOn(addCards({ ...removeCards(state, closed), isStopped }, cards, order));
  },

  /** Another tab has answered an entry. */
  elsewhere: (state, { entry }) => goOn(removeCards(state, [String(entry)])),

  /** A request of the outbox has ended. */
  sent: (state) => goOn(state),

  /** A field, a dialog or a selection may not be in use any more. */
  released(state) {
    if (!state.isMoveWaiting || state.use) return result(state);
    const moved = goOn({ ...state, isMoveWaiting: false });
    return result(moved.state, say("", true), ...moved.effects);
  },

  /** The server is asked for a card that replaces the one on screen, and has answered. */
  loading: (state) => result({ ...state, isLoading: true }),
  loaded: (state) => result({ ...state, isLoading: false }),

  /** Just before the card is replaced. copy: of the card. If something is in use, the card must stay. */
  replacing(state, { copy }) {
    if (state.use) return wait(state);
    return result({ ...state, next: isOpen(state.current) ? [copy, ...state.next] : state.next }, finish(state));
  },

  replaced(state, { card }) {
    return result(settle(removeCopies(state, [card.dataset.entry]), card), { type: "prepare", card });
  },

  /** The browser has painted the card: the time to read it begins. */
  painted: (state) =>
    result({ ...state, guard: { ...state.guard, shownAt: state.now } }, wake(guard.READING_DELAY + 5)),

  /** A key or pointer was pressed. kind: of the browser's event. */
  act: (state, { kind }) => result({ ...state, guard: guard.noteAct(state.guard, kind, state.now) }),

  /** A menu of answers was opened on this card: the press of one of them is no second press of the last one. */
  menu: (state) => result(forgetPress(state)),

  tick(state) {
    const left = guard.measureRest(state.guard, state.now);
    return left > 0 ? result(state, wake(left + 5)) : result(state);
  },
};

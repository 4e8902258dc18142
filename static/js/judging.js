// The judging screen: one press labels the card on screen and shows the next one at once; the outbox saves the label.
// Everything works without this script too: the grades are a plain form.
import { Outbox, MOST_WAITING } from "./outbox.js";
import { actionOf, keymap, keysOf, remap, restore, show as showKeys } from "./keys.js";
import * as breaks from "./breaks.js";
import * as comments from "./comments.js";
import * as hits from "./highlights.js";
import * as panel from "./panel.js";
import * as status from "./status.js";

const ASLEEP = 250; // ms after a new card in which no press counts: nobody has read it yet
const DOUBLE = 500; // ms: the double-click time of Windows and macOS
const IDLE = 60_000; // ms without a sign of life that count as reading at most
const READY = 4; // cards on the page at least: the one on screen and three more
const SPREAD = 4; // a random part of what counts as ready: judges who began together ask apart
const byId = (id) => document.getElementById(id),
  card = () => byId("judgment-card");
const desk = byId("desk"),
  form = byId("grades"),
  reader = document.querySelector(".reader");
const cannot = form.querySelector(".cannot"),
  reasons = [...cannot.querySelectorAll("[name=reason]")];
const isOpen = ({ dataset }) => !dataset.relevance && !dataset.reason;
const grades = [...form.querySelectorAll("[name=relevance]")].map(({ value }) => Number(value));
let ahead = [],
  passed = [],
  map = {},
  shownAt = 0,
  pressed = null;
let judged = Number(desk.dataset.judged),
  total = Number(desk.dataset.total);
let active = 0,
  seenAt = performance.now(),
  inSight = true;

function show(next) {
  card().replaceWith(next);
  htmx.process(next);
  settle();
}

/** A card is on screen: fill the panel for it, let the buttons sleep, put the focus where Space and arrows scroll. */
function settle() {
  const { relevance } = card().dataset;
  comments.turnTo(desk.dataset.judge, card());
  panel.turnTo(card());
  for (const button of form.querySelectorAll("[name=relevance]")) {
    button.setAttribute("aria-pressed", button.value === relevance);
  }
  form.querySelector("[data-do=on]").classList.toggle("invisible", isOpen(card()));
  cannot.open = false;
  byId("hit-count").textContent = "";
  reader.scrollTop = 0;
  card().querySelector("h1").focus({ preventScroll: true });
  [active, seenAt, shownAt] = [0, performance.now(), performance.now()];
  setTimeout(refresh, ASLEEP + 5);
  refresh();
}

const isAsleep = () => performance.now() - shownAt < ASLEEP;

/** After a label: the next card that has none. Labelled ones that were looked at again go back to the pile. */
function advance() {
  if (!passed.includes(card())) passed.push(card());
  while (ahead.length && !isOpen(ahead[0])) passed.push(ahead.shift());
  if (ahead.length) show(ahead.shift());
  else refresh();
}

function undo(event) {
  sendComment();
  pressed = null;
  if (!passed.length) return; // the link asks the server for the last label
  event.preventDefault();
  event.stopImmediatePropagation();
  if (card().isConnected && !passed.includes(card())) ahead.unshift(card());
  show(passed.pop());
}

/** On from a labelled document to the next one. */
function goToNext() {
  if (!ahead.length || isOpen(card())) return;
  sendComment();
  pressed = null;
  passed.push(card());
  show(ahead.shift());
}

/** Cards that were labelled elsewhere, or went to another judge. */
function leave(gone) {
  ahead = ahead.filter(({ dataset }) => !gone.includes(dataset.entry));
  if (gone.includes(card().dataset.entry)) passed.push(card());
}

/** Take new cards from an answer; the order is the queue's. */
function lay(fragment) {
  const known = new Set([card(), ...ahead].map(({ dataset }) => dataset.entry));
  outbox.waiting().forEach(({ entry }) => known.add(String(entry)));
  for (const { content } of fragment.querySelectorAll("template")) {
    if (!known.has(content.firstElementChild.dataset.entry)) ahead.push(content.firstElementChild);
  }
  ahead.sort((one, other) => isOpen(one) - isOpen(other));
}

// presses
/** clicks: how many the browser counts at this place in the double-click time of the system; 0 for a key. */
function press(button, source, clicks = 0) {
  if (isAsleep() || done() || stuck()) return;
  if (isSecondPress(button, clicks)) return status.note("Second press ignored");
  const value = button.value;
  const label = labelOf(card(), source, {
    [button.name]: button.name === "reason" ? value : button.name === "later" || Number(value),
  });
  status.passOn();
  outbox.keep(label);
  pressed = button;
  if (!label.later) {
    comments.takeDraft();
    Object.assign(card().dataset, { relevance: label.relevance ?? "", reason: label.reason, comment: label.comment });
  }
  advance();
  if (!label.later) [status.recall(button), breaks.labelled()];
}

/** The second press of a double press: it was meant for the document before, and nobody has read this one. */
function isSecondPress(button, clicks) {
  const isDoubleClick = clicks > 0 && clicks % 2 === 0;
  return button === pressed && (isDoubleClick || performance.now() - shownAt < DOUBLE);
}

/** What goes to the server. said: a grade, a reason, or later. */
function labelOf({ dataset, classList }, source, said) {
  return {
    uuid: uuid(),
    entry: Number(dataset.entry),
    docno: dataset.docno,
    text_hash: dataset.textHash,
    postponed: Number(dataset.postponed),
    relevance: null,
    reason: "",
    later: false,
    ...said,
    source,
    evidence: panel.evidence(),
    comment: comments.text(),
    active_seconds: Math.round(elapse() / 100) / 10,
    highlighted: Boolean(card().querySelector("mark")) && !classList.contains("unmarked"),
  };
}

/** Before a labelled document goes: a comment that was changed on it is sent, with the same label once more. */
function sendComment() {
  const { relevance, reason, textChanged } = card().dataset;
  if (isOpen(card()) || textChanged || !comments.isDraft()) return;
  const label = labelOf(card(), "click", { relevance: relevance === "" ? null : Number(relevance), reason });
  outbox.keep(label);
  comments.takeDraft();
  card().dataset.comment = label.comment;
}

// Over plain http the browser has no randomUUID.
const uuid = () =>
  crypto.randomUUID?.() ??
  "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
    (digit ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (digit / 4)))).toString(16),
  );

/** Count the time in which the page is in sight and its judge gives a sign of life at least every minute. */
function elapse() {
  const now = performance.now();
  if (inSight) active += Math.min(now - seenAt, IDLE);
  [seenAt, inSight] = [now, !document.hidden];
  return active;
}

// the outbox, and what the screen says of it
/** How many cards to ask for: none while enough lie ready for the time that an answer takes. */
function wanted(have) {
  const slow = Math.ceil(outbox.delay / 300);
  return have.length > READY + slow + Math.floor(SPREAD * Math.random()) ? 0 : Number(desk.dataset.stock) + slow;
}

const outbox = new Outbox({
  judge: desk.dataset.judge,
  url: desk.dataset.outbox,
  compose: () => {
    const have = [card(), ...ahead].filter(isOpen).map(({ dataset }) => Number(dataset.entry));
    return { judge: Number(desk.dataset.judge), topic: desk.dataset.topic, have, want: wanted(have) };
  },
  arrived: (fragment) => {
    const { dataset } = fragment.firstElementChild;
    [judged, total] = [Number(dataset.judged ?? judged), Number(dataset.total ?? total)];
    leave(dataset.gone?.split(" ") ?? []);
    lay(fragment);
    const messages = (selector) => [...fragment.querySelectorAll(selector)].map(({ textContent }) => textContent);
    if (messages("[data-feedback]").length) status.report(messages("[data-feedback]").join(" "), "note");
    if (messages("[data-problem]").length) status.report(messages("[data-problem]").join(" "));
    goOn();
  },
  changed: () => goOn(),
});

/** Labels do not get through, and no more are taken: the server refuses them, no card is left, or many wait. */
const stuck = () =>
  outbox.failures > 0 && (outbox.refused || (done() && !ahead.length) || outbox.waiting().length >= MOST_WAITING);
const done = () =>
  passed.includes(card()) ||
  outbox.waiting().some(({ entry }) => entry === Number(card().dataset.entry) && isOpen(card()));

/** The card on screen may have got its label: by a press that found no card ahead, or in another tab. */
const goOn = () => (done() && ahead.length ? advance() : refresh());

function refresh() {
  const waiting = outbox.waiting();
  const fresh = new Set(waiting.filter(({ later }) => !later).map(({ entry }) => entry)).size;
  const asleep = isAsleep() || done() || stuck();
  status.show({ judged, total, fresh, waiting: waiting.length, open: isOpen(card()), outbox, stuck: stuck() });
  form.querySelectorAll("button").forEach((button) => (button.disabled = asleep));
  desk.toggleAttribute("data-awake", !asleep);
  if (!done() || ahead.length || outbox.busy) return;
  if (waiting.length || outbox.failures) outbox.deliver();
  else location.reload(); // the server knows what is left
}

// keys
const takeKeys = () => showKeys((map = keymap(grades)));
const ACTIONS = {
  "next-hit": () => hits.next(card()),
  "previous-hit": () => hits.previous(card()),
  "densest-hit": () => hits.densest(card()),
  "find-hit": () => panel.open("terms", byId("own-term")),
  marks: () => hits.show(card()),
  "page-down": () => reader.scrollBy({ top: reader.clientHeight * 0.9 }),
  comment: () => panel.open("comments", byId("comment")),
  guidelines: () => byId("guidelines")?.toggleAttribute("open"),
  evidence: () => panel.takeEvidence() || status.report("Select words in the document first, then press again."),
  "clear-evidence": () => panel.clearEvidence(),
  "to-hit": ({ dataset }) => hits.to(card(), dataset.hit),
  keys: () => byId("keys").showModal(),
  on: goToNext,
};

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input, textarea, select, [contenteditable]")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (isForControl(event)) return activate(event);
  const action = actionOf(event, map);
  if (cannot.open && keyInReasons(event, action)) return event.preventDefault();
  if (!action) return;
  event.preventDefault();
  const control = action.startsWith("grade-")
    ? form.querySelector(`[name=relevance][value="${action.slice(6)}"]`)
    : document.querySelector(`[data-do="${action}"]`);
  if (control?.name && control.type === "submit") press(control, "key");
  else if (ACTIONS[action]) ACTIONS[action]();
  else if (!control?.hidden) control?.click();
}

/** Space and Enter belong to the control that has the focus. */
const isForControl = ({ key, target }) =>
  (key === " " && target.matches("button, summary, [role=button]")) ||
  (key === "Enter" && target.matches("[role=button]"));

/** The browser presses buttons itself, but not a link that stands for one. */
function activate(event) {
  if (!event.target.matches("a")) return;
  event.preventDefault();
  event.target.click();
}

/** While the reasons are open their digits choose one, Escape closes them, and no grade has a key. */
function keyInReasons(event, action) {
  const reason = keysOf(event)
    .map((each) => reasons[each - 1])
    .find(Boolean);
  if (reason) press(reason, "key");
  else if (event.key === "Escape") closeReasons();
  return reason || event.key === "Escape" || action?.startsWith("grade-");
}

function closeReasons() {
  cannot.open = false;
  card().querySelector("h1").focus({ preventScroll: true });
}

document.addEventListener("keydown", key);
cannot.addEventListener("toggle", () => cannot.open && reasons[0].focus());
let clicks = 0; // of the click that submits the form
form.addEventListener("click", ({ detail }) => (clicks = detail));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter) press(event.submitter, "click", clicks); // Enter in a field submits nothing
});
document.addEventListener("mousedown", (event) => {
  if (event.target.closest("[data-do=evidence]")) event.preventDefault(); // the selection stays
});
document.addEventListener(
  "click",
  (event) => {
    const control = event.target.closest("[data-do]"),
      action = control?.dataset.do;
    if (action === "undo") undo(event);
    else if (control?.type === "button") ACTIONS[action]?.(control);
  },
  true,
);
byId("try-now").addEventListener("click", () => outbox.deliver(true, true));
byId("close-strip").addEventListener("click", () => status.close());
for (const sign of ["keydown", "pointermove", "wheel", "touchmove", "visibilitychange"]) {
  document.addEventListener(sign, elapse, { passive: true });
}

// leaving the page
addEventListener("beforeunload", (event) => {
  if (outbox.waiting().length || comments.isAnyUnstored()) event.preventDefault(); // the browser asks
});
addEventListener("pagehide", sendComment);

// a labelled document that htmx brings back
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "judgment-card") return;
  sendComment();
  if (isOpen(card())) ahead.unshift(card().cloneNode(true));
});
document.addEventListener("htmx:afterSwap", ({ detail }) => detail.target.id === "judgment-card" && settle());

byId("keys").addEventListener("keydown", (event) => {
  if (event.target.localName !== "input" || event.key.length > 1) return;
  event.preventDefault();
  remap(event.target, keysOf(event)[0], map);
  takeKeys();
});
byId("restore-keys").addEventListener("click", () => {
  restore();
  takeKeys();
});
takeKeys();
lay(byId("outbox").content ?? byId("outbox"));
settle();
if (done()) advance(); // labelled before a reload, and still under way
outbox.deliver(ahead.length < READY - 1 || "shared" in desk.dataset); // a request renews the leases of a shared topic

// The judging screen: one press labels the card on screen, shows the next one at once, and leaves the saving to the outbox.
// Everything works without this script too: the grades are a plain form.
import { Outbox, STUCK } from "./outbox.js";
import { keymap, remap, restore, show as showKeys } from "./keys.js";
import * as breaks from "./breaks.js";
import * as hits from "./highlights.js";
import * as panel from "./panel.js";
import * as status from "./status.js";

const ASLEEP = 250; // ms after a new card in which no press counts: nobody has read it yet
const IDLE = 60_000; // ms without a sign of life that count as reading at most
const READY = 4, SPREAD = 4; // cards on the page at least: the one on screen and three more; judges who began together ask apart
const byId = (id) => document.getElementById(id), card = () => byId("judgment-card");
const desk = byId("desk"), form = byId("grades"), reader = document.querySelector(".reader");
const isOpen = ({ dataset }) => !dataset.relevance && !dataset.reason;
const grades = [...form.querySelectorAll("[name=relevance]")].map(({ value }) => Number(value));
let ahead = [], passed = [], map = {}, awakeAt = 0;
let judged = Number(desk.dataset.judged), total = Number(desk.dataset.total), active = 0, seenAt = performance.now(), inSight = true;

function show(next) {
  card().replaceWith(next);
  htmx.process(next);
  settle();
}

/** A card is on screen: fill the panel for it, let the buttons sleep, put the focus where Space and arrows scroll. */
function settle() {
  const { relevance, comment } = card().dataset;
  byId("comment").value = comment;
  panel.turnTo(card());
  for (const button of form.querySelectorAll("[name=relevance]")) button.setAttribute("aria-pressed", button.value === relevance);
  form.querySelector("[data-do=on]").hidden = isOpen(card());
  form.querySelector(".cannot").open = false;
  reader.scrollTop = 0;
  card().querySelector("h1").focus({ preventScroll: true });
  [active, seenAt, awakeAt] = [0, performance.now(), performance.now() + ASLEEP];
  setTimeout(refresh, ASLEEP + 5);
  refresh();
}

/** After a label: the next card that has none. Labelled ones that were looked at again go back to the pile. */
function advance() {
  if (!passed.includes(card())) passed.push(card());
  while (ahead.length && !isOpen(ahead[0])) passed.push(ahead.shift());
  if (ahead.length) show(ahead.shift());
  else refresh();
}

function undo(event) {
  if (!passed.length) return; // the link asks the server for the last label
  event.preventDefault();
  event.stopImmediatePropagation();
  if (card().isConnected && !passed.includes(card())) ahead.unshift(card());
  show(passed.pop());
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
  for (const { content } of fragment.querySelectorAll("template")) if (!known.has(content.firstElementChild.dataset.entry)) ahead.push(content.firstElementChild);
  ahead.sort((one, other) => isOpen(one) - isOpen(other) || one.dataset.place - other.dataset.place);
}

// presses
function press(button, source) {
  if (performance.now() < awakeAt || done() || stuck()) return;
  const { entry, docno, textHash, postponed } = card().dataset, value = button.value;
  const said = { relevance: null, reason: "", later: false, [button.name]: button.name === "reason" ? value : button.name === "later" || Number(value) };
  const label = { uuid: uuid(), entry: Number(entry), docno, text_hash: textHash, postponed: Number(postponed), ...said, source, evidence: panel.evidence(),
    comment: byId("comment").value, active_seconds: Math.round(elapse() / 100) / 10, highlighted: Boolean(card().querySelector("mark")) && !card().classList.contains("unmarked") };
  outbox.keep(label);
  if (!said.later) Object.assign(card().dataset, { relevance: said.relevance ?? "", reason: said.reason, comment: label.comment });
  advance();
  if (!said.later) [status.recall(button), breaks.labelled()];
}

const uuid = () => crypto.randomUUID?.() ?? "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
  (digit ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (digit / 4)))).toString(16)); // plain http has no randomUUID

/** Count the time in which the page is in sight and its judge gives a sign of life at least every minute. */
function elapse() {
  const now = performance.now();
  if (inSight) active += Math.min(now - seenAt, IDLE);
  [seenAt, inSight] = [now, !document.hidden];
  return active;
}

// the outbox, and what the screen says of it
const outbox = new Outbox({
  judge: desk.dataset.judge,
  url: desk.dataset.outbox,
  compose: () => {
    const have = [card(), ...ahead].filter(isOpen).map(({ dataset }) => Number(dataset.entry)), slow = Math.ceil(outbox.delay / 300);
    return { judge: Number(desk.dataset.judge), topic: desk.dataset.topic, have, want: have.length > READY + slow + Math.floor(SPREAD * Math.random()) ? 0 : Number(desk.dataset.stock) + slow };
  },
  arrived: (fragment) => {
    const { dataset } = fragment.firstElementChild;
    [judged, total] = [Number(dataset.judged ?? judged), Number(dataset.total ?? total)];
    leave(dataset.gone?.split(" ") ?? []);
    lay(fragment);
    fragment.querySelectorAll("[data-problem], [data-feedback]").forEach(({ textContent }) => status.report(textContent));
    goOn();
  },
  changed: () => goOn(),
});
const stuck = () => outbox.failures >= STUCK;
const done = () => passed.includes(card()) || outbox.waiting().some(({ entry }) => entry === Number(card().dataset.entry) && isOpen(card()));

/** The card on screen may have got its label: by a press that found no card ahead, or in another tab. */
const goOn = () => (done() && ahead.length ? advance() : refresh());

function refresh() {
  const waiting = outbox.waiting(), fresh = new Set(waiting.filter(({ later }) => !later).map(({ entry }) => entry)).size;
  const asleep = performance.now() < awakeAt || done() || stuck();
  status.show({ judged, total, fresh, waiting: waiting.length, open: isOpen(card()), outbox, stuck: stuck() });
  form.querySelectorAll("button").forEach((button) => (button.disabled = asleep));
  desk.toggleAttribute("data-awake", !asleep);
  if (done() && !ahead.length && !outbox.busy) waiting.length || outbox.failures ? outbox.deliver() : location.reload(); // the server knows what is left
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
  evidence: () => panel.takeEvidence() || status.report("Select the words in the document first, then press the key."),
  "to-hit": ({ dataset }) => hits.to(card(), dataset.hit),
  keys: () => byId("keys").showModal(),
  on: () => ahead.length && (passed.push(card()), show(ahead.shift())),
};

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input, textarea, select, [contenteditable]")) return event.key === "Escape" && event.target.blur();
  const action = Object.keys(map).find((each) => map[each].includes(event.key));
  if (!action) return;
  event.preventDefault();
  const control = action.startsWith("grade-") ? form.querySelector(`[name=relevance][value="${action.slice(6)}"]`)
    : document.querySelector(`[data-do="${action}"]`);
  if (control?.name && control.type === "submit") press(control, "key");
  else if (ACTIONS[action]) ACTIONS[action]();
  else if (!control?.hidden) control?.click();
}

document.addEventListener("keydown", key);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter) press(event.submitter, "click"); // Enter in a field submits nothing
});
document.addEventListener("click", (event) => {
  const control = event.target.closest("[data-do]"), action = control?.dataset.do;
  if (action === "undo") undo(event);
  else if (control?.type === "button") ACTIONS[action]?.(control);
}, true);
byId("try-now").addEventListener("click", () => outbox.deliver(true));
for (const sign of ["keydown", "pointermove", "wheel", "touchmove", "visibilitychange"]) document.addEventListener(sign, elapse, { passive: true });

document.addEventListener("htmx:beforeSwap", ({ detail }) => detail.target.id === "judgment-card" && isOpen(card()) && ahead.unshift(card().cloneNode(true)));
document.addEventListener("htmx:afterSwap", ({ detail }) => detail.target.id === "judgment-card" && settle());

byId("keys").addEventListener("keydown", (event) => {
  if (event.target.localName !== "input" || event.key.length > 1) return;
  event.preventDefault();
  remap(event.target, event.key, map);
  takeKeys();
});
byId("restore-keys").addEventListener("click", () => (restore(), takeKeys()));
takeKeys();
lay(byId("outbox").content ?? byId("outbox"));
settle();
if (done()) advance(); // labelled before a reload, and still under way
outbox.deliver(ahead.length < READY - 1);

// One answer and the nuggets of its topic: a key says whether the answer holds the open nugget, with the sentence that
// is marked as evidence, and the next nugget opens. After the last one the next answer is shown at once. Without this
// script each nugget is a plain form.
import { AnswerScreen } from "./card/answer_screen.js";
import { getCard } from "./card/screen.js";
import { findAction, isModified } from "./keymap.js";
import { closestNugget, findOpen, listNuggets, openNugget, showLabel } from "./nuggets.js";
import { getMarked, markSentence, moveMark } from "./sentence_mark.js";

const VALUES = { support: ["1"], partial_support: ["2"], not_support: ["0"], contradicts: ["3"] };
const KEYS = { undo: ["u"], next: ["j"], previous: ["k"], up: ["ArrowUp"], down: ["ArrowDown"] };
const form = document.getElementById("vote");
const given = new Map(); // entry -> elements of the nuggets that were labelled on this page, in order

class MatchingScreen extends AnswerScreen {
  /** Label the open nugget. The card is answered when no other nugget of it is without a label. */
  press(button, source, event) {
    if (!form.hasAttribute("data-enabled") || event.detail > 1) return;
    const card = getCard();
    const open = findOpen(card);
    const left = listNuggets(card).filter((each) => each !== open && !each.dataset.assignment);
    if (!left.length) return super.press(button, source, event);
    const answer = this.send(card, { entry: 0, task: Number(card.dataset.entry), ...describe(open, button, source) });
    note(card, open, answer);
    openNext(card, open, left);
    this.dispatch("painted"); // nobody has read the next nugget yet
  }

  storeAnswer(card, button, answer) {
    super.storeAnswer(card, button, answer);
    note(card, findOpen(card), answer);
  }

  /** The last label of a card, which "undo" shows again, is taken back. */
  revoke(card) {
    super.revoke(card);
    forgetLast(card);
  }

  onRefusal({ uuid, task }) {
    const card = getCard();
    const refused = listNuggets(card).find((each) => each.dataset.uuid === uuid);
    if (String(task) !== card.dataset.entry || !refused) return;
    showLabel(refused, {});
    show(card, refused);
  }
}

const words = { noun: "label", activity: "labelling", card: "answer" };
const screen = new MatchingScreen({
  root: form,
  form,
  words,
  drafts: `matching ${form.dataset.judge}`,
  comment: "reason",
  createAnswer: (card, button, source) => describe(findOpen(card), button, source),
  prepare,
});

/** Return the fields of a label. One that the nugget is not there has no sentence. */
function describe(nugget, { value }, source) {
  const sentence = value === "not_support" ? null : getMarked(getCard());
  return { nugget: Number(nugget.dataset.nugget), assignment: value, sentence, source };
}

function note(card, nugget, answer) {
  showLabel(nugget, answer);
  const { entry } = card.dataset;
  given.set(entry, [...(given.get(entry) ?? []).filter((each) => each !== nugget), nugget]);
}

/** Take the last label of this page off the card. Returns its nugget, which is open then. */
function forgetLast(card) {
  const nugget = given.get(card.dataset.entry)?.pop();
  if (!nugget) return undefined;
  const { assignment, sentence } = nugget.dataset;
  showLabel(nugget, {});
  Object.assign(nugget.dataset, { undone: assignment, wasSentence: sentence });
  return nugget;
}

const isFree = ({ dataset }) => !dataset.assignment;

/**
 * Show what a card shows: the first nugget without a label, with labels that the server did not have when it rendered
 * the page.
 */
function prepare(card) {
  const { outbox } = screen;
  for (const answer of [...outbox.listDeliveredParts(), ...outbox.listUnsent()]) showNewer(card, answer);
  const isAsked = location.pathname === card.dataset.address && location.search; // for one of the nuggets
  if (!isAsked) history.replaceState(null, "", card.dataset.address); // for a reload
  const [nuggets, opened] = [listNuggets(card), findOpen(card)];
  const undone = nuggets.find((each) => each.dataset.undone);
  show(card, undone ?? (isAsked || isFree(opened) ? opened : nuggets.find(isFree)) ?? opened);
}

function showNewer(card, { entry, task, nugget, revokes, ...answer }) {
  if (String(task || entry) !== card.dataset.entry) return;
  const isMeant = ({ dataset }) => (revokes ? dataset.uuid === revokes : dataset.nugget === String(nugget));
  const found = listNuggets(card).find(isMeant);
  if (found) showLabel(found, revokes ? {} : answer);
}

/** Open a nugget: its text is over the buttons, and the sentence of its label is marked. */
function show(card, nugget) {
  const { assignment, undone, sentence, wasSentence } = nugget.dataset;
  openNugget(card, nugget);
  form.elements.nugget.value = nugget.dataset.nugget;
  for (const button of form.querySelectorAll("[name=assignment]")) {
    button.setAttribute("aria-pressed", button.value === (undone || assignment));
  }
  for (const name of ["undone", "wasSentence"]) delete nugget.dataset[name];
  markSentence(card, Number(sentence || wasSentence || 0));
}

const openNext = (card, open, left) => show(card, left.find((each) => isBehind(open, each)) ?? left[0]);
const isBehind = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);

function moveNugget(step) {
  const card = getCard();
  const nuggets = listNuggets(card);
  const next = nuggets[nuggets.indexOf(findOpen(card)) + step];
  if (next) show(card, next);
}

/** Take the last label of this card back, or show the answer before. */
function undo(event) {
  const card = getCard();
  const uuid = given.get(card.dataset.entry)?.at(-1)?.dataset.uuid;
  if (uuid) {
    event.preventDefault();
    screen.send(card, { entry: 0, task: Number(card.dataset.entry), revokes: uuid });
    show(card, forgetLast(card));
    screen.refresh();
  } else if (screen.undo()) event.preventDefault();
  else if (event.type === "keydown") form.querySelector("[data-do=undo]").click(); // opens the last answer
}

const ACTIONS = {
  undo,
  next: () => moveNugget(1),
  previous: () => moveNugget(-1),
  up: () => moveMark(getCard(), -1),
  down: () => moveMark(getCard(), 1),
};

document.addEventListener("keydown", (event) => {
  if (isModified(event) || event.target.matches("input, textarea, select")) return;
  const value = findAction(event, VALUES);
  const button = value && form.querySelector(`[name=assignment][value="${value}"]`);
  const action = button ? null : findAction(event, KEYS);
  if (!button && !action) return;
  event.preventDefault();
  if (button) screen.press(button, "key", event);
  else ACTIONS[action](event);
});
document.addEventListener("click", (event) => {
  const { target } = event;
  const card = getCard();
  if (target.closest("[data-do=undo]") && event.isTrusted) return undo(event);
  const nugget = closestNugget(target);
  const sentence = target.closest(".match-sentences .sentence");
  if (nugget) {
    event.preventDefault();
    show(card, nugget);
  } else if (sentence && getSelection().isCollapsed) markSentence(card, Number(sentence.dataset.sentence));
});
screen.start();

// The keys of the judging screen and of adjudication, and the dialog that changes them.
import {
  JUDGING_KEYS,
  changeKey,
  createKeymap,
  findAction,
  isModified,
  readKeys,
  restoreDefaults,
  showKeys,
} from "./keymap.js";

const form = document.querySelector("form.grades");
const dialog = document.getElementById("keys");
const cannotJudge = document.querySelector(".cannot-judge"); // not in adjudication
const reasons = [...document.querySelectorAll(".cannot-judge [name=reason]")];
const grades = [...document.querySelectorAll("form.grades [name=relevance]")].map(({ value }) => Number(value));
let defaults = JUDGING_KEYS;
let keymap = {};

/**
 * Listen for keys. screen: the CardScreen that takes the answers, if the page has one; actions: name -> function;
 * focusDocument() leaves the form; keys: action -> default key.
 */
export function listenForKeys({ screen, actions, focusDocument, keys = JUDGING_KEYS }) {
  defaults = keys;
  document.addEventListener("keydown", (event) => handleKey(event, { screen, actions, focusDocument }));
  cannotJudge?.addEventListener("toggle", () => cannotJudge.open && reasons[0].focus());
  // A reason from a menu that was opened on this document is no second press of the one before.
  cannotJudge?.querySelector("summary").addEventListener("click", () => screen.dispatch("menu"));
  dialog.addEventListener("keydown", handleKeyChange);
  document.getElementById("restore-keys").addEventListener("click", () => {
    restoreDefaults();
    loadKeymap();
  });
  loadKeymap();
}

/** Close the menu of reasons why a document cannot be judged. */
export function closeReasons() {
  if (cannotJudge) cannotJudge.open = false;
}

function loadKeymap() {
  keymap = createKeymap(grades, defaults);
  showKeys(keymap);
}

function handleKeyChange(event) {
  if (event.target.localName !== "input" || event.key.length > 1) return;
  event.preventDefault();
  changeKey(event.target, readKeys(event)[0], keymap);
  loadKeymap();
}

function handleKey(event, { screen, actions, focusDocument }) {
  if (isModified(event) || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input, textarea, select, [contenteditable]")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const action = findAction(event, keymap);
  if (screen?.isResting() && !action?.startsWith("grade-")) return; // the screen says that the grade does not count
  if (isForControl(event)) {
    clickLink(event);
    return;
  }
  if (cannotJudge?.open && handleReasonKey(event, action, { screen, focusDocument })) {
    event.preventDefault();
    return;
  }
  if (!action) return;
  event.preventDefault();
  const control = findControl(action);
  if (control?.name && control.type === "submit") screen?.press(control, "key", event);
  else if (actions[action]) actions[action]();
  else if (!control?.hidden) control?.click();
}

const findControl = (action) =>
  action.startsWith("grade-")
    ? form?.querySelector(`[name=relevance][value="${action.slice(6)}"]`)
    : document.querySelector(`[data-do="${action}"]`);

/** Whether the key belongs to the control that has the focus: Space or Enter. */
const isForControl = ({ key, target }) =>
  (key === " " && target.matches("button, summary, [role=button]")) ||
  (key === "Enter" && target.matches("[role=button]"));

/** Click a link with the role of a button: the browser itself does this for buttons only. */
function clickLink(event) {
  if (!event.target.matches("a")) return;
  event.preventDefault();
  event.target.click();
}

/**
 * While the menu of reasons is open, a digit chooses a reason, Escape closes the menu, and the keys of the grades do
 * nothing. Returns whether the key was one of these.
 */
function handleReasonKey(event, action, { screen, focusDocument }) {
  const reason = readKeys(event)
    .map((key) => reasons[key - 1])
    .find(Boolean);
  if (reason) {
    screen.press(reason, "key", event);
  } else if (event.key === "Escape") {
    closeReasons();
    focusDocument();
  }
  return reason || event.key === "Escape" || action?.startsWith("grade-");
}

// The keyboard shortcuts of the judging screen and of adjudication. The buttons show them, the dialog "Keys" changes
// them, and this browser stores the changes.
const STORAGE_KEY = "jurypool keys";
const HOME_ROW = "asdfjk"; // second keys of the grades, from the lowest grade up
export const JUDGING_KEYS = {
  undo: "u",
  on: "o",
  later: "l",
  cannot: "x",
  unsure: "w",
  comment: "c",
  evidence: "e",
  examples: "v",
  guidelines: "g",
  keys: "?",
  "next-hit": "n",
  "previous-hit": "N",
  "find-hit": "/",
  "page-down": " ",
  "densest-hit": "b",
  marks: "m",
  whole: "p",
};
export const ADJUDICATION_KEYS = {
  undo: "u",
  later: "l",
  take: "t",
  comment: "c",
  whole: "o",
  keys: "?",
  "next-hit": "n",
  "previous-hit": "N",
  "densest-hit": "b",
  marks: "m",
  "page-down": " ",
};
const printKey = (key) => (key === " " ? "space" : key);
const loadChanges = () => JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}");

/** Return action -> its keys. defaults: action -> key. A grade has its number and a key of the home row. */
export function createKeymap(grades, defaults) {
  const keymap = Object.fromEntries(Object.entries(defaults).map(([action, key]) => [action, [key]]));
  const ascending = grades.toSorted((one, other) => one - other);
  for (const [index, grade] of ascending.entries()) {
    keymap[`grade-${grade}`] = [String(grade), HOME_ROW[index]].filter(Boolean);
  }
  for (const [action, key] of Object.entries(loadChanges())) {
    if (keymap[action]) keymap[action][keymap[action].length - 1] = key;
  }
  return keymap;
}

/**
 * Return the keys that a keydown event may mean, the most likely first: its character, in the case that Shift gives
 * without Caps Lock; then the key at the same position of a US keyboard, for layouts without Latin letters or with
 * the digits under Shift.
 */
export function readKeys({ key, code, shiftKey }) {
  if (key.length > 1) return [key];
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const digit = /^Digit(\d)$/.exec(code)?.[1];
  const keys = [shiftKey ? key.toUpperCase() : key.toLowerCase()];
  if (digit && !shiftKey) keys.push(digit);
  if (letter && !/^[a-z]$/i.test(key)) keys.push(shiftKey ? letter : letter.toLowerCase());
  if (code === "Slash" && key > "~") keys.push(shiftKey ? "?" : "/");
  return keys;
}

/** Return the action of a keydown event, or undefined. */
export function findAction(event, keymap) {
  for (const key of readKeys(event)) {
    const action = Object.keys(keymap).find((each) => keymap[each].includes(key));
    if (action) return action;
  }
}

/** Whether a keydown event is no shortcut: a modifier key is down, or the key repeats. */
export const isModified = ({ ctrlKey, metaKey, altKey, repeat }) => ctrlKey || metaKey || altKey || repeat;

/** Show the keys in every kbd element that names an action in data-of, and in the fields of the dialog. */
export function showKeys(keymap) {
  for (const element of document.querySelectorAll("kbd[data-of]")) {
    element.textContent = printKey(keymap[element.dataset.of]?.at(-1) ?? "");
  }
  for (const field of document.querySelectorAll("#keys input")) {
    field.value = printKey(keymap[field.name]?.at(-1) ?? "");
  }
}

/** Store the key for the action of a field of the dialog, unless another action has it. */
export function changeKey(field, key, keymap) {
  const owner = Object.keys(keymap).find((action) => action !== field.name && keymap[action].includes(key));
  field.setCustomValidity(owner ? `"${printKey(key)}" is taken` : "");
  if (field.reportValidity()) {
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ ...loadChanges(), [field.name]: key }));
  }
}

export const restoreDefaults = () => localStorage.removeItem(STORAGE_KEY);

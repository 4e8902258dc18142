// Recognises the presses that do not mean the document on screen, because it has only just been shown.
const READING_DELAY = 250; // ms after a new document in which presses are ignored: the judge has not read it yet
const DOUBLE_CLICK_TIME = 500; // ms, as in Windows and macOS
const REST_TIME = 1000; // ms without a key after a document that the judge did not ask for
const ANSWER_TIME = 2000; // ms in which the judge still expects the one document that follows a press
let shownAt = 0;
let restsUntil = 0;
let expectedUntil = 0;
let lastPressed = null;

/** Note that a document is shown, now and again when the browser has painted it; call a function some time later. */
export function startReading(onTaken) {
  expectedUntil = 0;
  shownAt = performance.now();
  requestAnimationFrame(() =>
    setTimeout(() => {
      shownAt = performance.now();
      setTimeout(onTaken, READING_DELAY + 5);
    }),
  );
}

/** Whether a press at a time is too early. A slow computer handles a press some time after the judge has given it. */
export const isTooEarly = (time = performance.now()) => time - shownAt < READING_DELAY || isResting(time);

/** Note that the judge has finished the document, so that the next one is expected. It may come some time later. */
export function expectMove() {
  getSelection().removeAllRanges(); // words selected as evidence do not keep the document on screen
  expectedUntil = performance.now() + ANSWER_TIME;
}

/**
 * Note that the page goes on to a document that the judge did not ask for: no press counts until all keys have rested
 * for a second, because the judge may be typing. Does nothing just after a press, while its next document is still to
 * come. Call it before the document is shown; onEnd is called after the rest.
 */
export function startRest(onEnd) {
  if (performance.now() < expectedUntil) return;
  restsUntil = performance.now() + REST_TIME;
  awaitRest(onEnd);
}

function awaitRest(onEnd) {
  const left = restsUntil - performance.now();
  if (left > 0) setTimeout(() => awaitRest(onEnd), left + 5);
  else onEnd();
}

/** Whether keys do not count, because the page has moved by itself. */
export const isResting = (time = performance.now()) => time < restsUntil;

function noteAct({ type }) {
  if (type !== "keyup") expectedUntil = 0;
  if (type !== "pointerdown" && isResting()) restsUntil = performance.now() + REST_TIME;
}

for (const type of ["keydown", "keyup", "pointerdown"]) document.addEventListener(type, noteAct, true);

/** Note the button that the judge pressed last; null after another act, such as undo. */
export function setLastPressed(button) {
  lastPressed = button;
}

/**
 * Whether an event is the second press of a double press: the judge meant the document before this one. Its detail is
 * the number of consecutive clicks at this place as the browser counts them, and 0 for a key. After a reason, another
 * button is at the place of the click, and its digit is the key of a grade.
 */
export function isSecondPress(button, { detail, timeStamp }) {
  if (!lastPressed) return false;
  const isRepeated = button === lastPressed || lastPressed.name === "reason";
  return detail > 1 || (isRepeated && timeStamp - shownAt < DOUBLE_CLICK_TIME);
}

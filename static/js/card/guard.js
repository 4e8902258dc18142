// Recognises the presses that do not mean the document on screen, because it has only just been shown. Pure: times are
// in ms, and every function returns a new guard or a plain answer.
export const READING_DELAY = 250; // ms after a new document in which presses are ignored: nobody has read it yet
const DOUBLE_CLICK_TIME = 500; // ms, as in Windows and macOS
export const REST_TIME = 1000; // ms without a key after a document that the person did not ask for
const ANSWER_TIME = 2000; // ms in which the person still expects the one document that follows a press

/** lastPressed: name and value of the last button; null after another act, such as undo. */
export const createGuard = () => ({ shownAt: -Infinity, restsUntil: 0, expectedUntil: 0, lastPressed: null });

/** Note that a document is shown. */
export const startReading = (guard, now) => ({ ...guard, shownAt: now, expectedUntil: 0 });

/** Whether keys do not count, because the page has moved by itself. */
export const isResting = ({ restsUntil }, now) => now < restsUntil;

/** Return the ms until the rest ends; 0 or less if it has ended. */
export const measureRest = ({ restsUntil }, now) => restsUntil - now;

/** Whether a press at a time is too early. A slow computer handles a press some time after it was given. */
export const isTooEarly = (guard, time) => time - guard.shownAt < READING_DELAY || isResting(guard, time);

/** Note that the document is finished, so that the next one is expected. It may come some time later. */
export const expectMove = (guard, now) => ({ ...guard, expectedUntil: now + ANSWER_TIME });

/**
 * The page is about to show a document that the person did not ask for: no press counts until all keys have rested,
 * because the person may be typing. Just after a press, while its next document is still to come, returns the same
 * guard.
 */
export const startRest = (guard, now) =>
  now < guard.expectedUntil ? guard : { ...guard, restsUntil: now + REST_TIME };

/** Note a keydown, a keyup or a pointerdown: the next document is not expected any more, and a rest begins again. */
export function noteAct(guard, kind, now) {
  const expectedUntil = kind === "keyup" ? guard.expectedUntil : 0;
  const isKey = kind !== "pointerdown";
  return { ...guard, expectedUntil, restsUntil: isKey && isResting(guard, now) ? now + REST_TIME : guard.restsUntil };
}

/**
 * Whether a press is the second one of a double press: it meant the document before this one. detail: the number of
 * consecutive clicks at one place as the browser counts them, 0 for a key. After a reason, another button is at the
 * place of the click, and its digit is the key of a grade.
 */
export function isSecondPress({ lastPressed, shownAt }, { name, value }, time, detail) {
  if (!lastPressed) return false;
  const isRepeated = (name === lastPressed.name && value === lastPressed.value) || lastPressed.name === "reason";
  return detail > 1 || (isRepeated && time - shownAt < DOUBLE_CLICK_TIME);
}

// Which presses of a card screen answer the card.
import assert from "node:assert/strict";
import test from "node:test";
import { ONE, Screen, TWO } from "./card_screen.js";

const EARLY = "Not counted: this had just appeared";
const REASON = { name: "reason", value: "spam" };

test("a press answers the card on screen and shows the next one", () => {
  const screen = new Screen(3);
  screen.press(ONE);
  assert.deepEqual(screen.effects, ["answer", "clear-selection", "wake", "show"]);
  assert.equal(screen.details[0].card, screen.cards[0]);
  assert.equal(screen.entry, 2);
});

test("a card takes no press until there was time to read it", () => {
  const screen = new Screen(2);
  assert.equal(screen.phase(249), "reading");
  screen.press(ONE, { after: 0 });
  assert.equal(screen.entry, 1);
  assert.deepEqual(screen.details, [{ type: "note", text: EARLY, stays: false }]);
  assert.equal(screen.phase(1), "ready");
});

test("the time to read begins when the browser has painted the card", () => {
  const screen = new Screen(2);
  screen.now = 400;
  screen.send("painted");
  assert.deepEqual(screen.details, [{ type: "wake", delay: 255 }]);
  assert.equal(screen.phase(249), "reading");
});

test("a press that was given too early is ignored however late the browser handles it", () => {
  const screen = new Screen(2);
  screen.now = 900;
  screen.send("press", { button: ONE, time: 100, detail: 0 });
  assert.equal(screen.entry, 1);
  assert.equal(screen.details[0].text, EARLY);
});

test("of two quick presses the second one does not count, and says why", () => {
  for (const [button, text] of [
    [ONE, "Second press ignored"],
    [TWO, EARLY],
  ]) {
    const screen = new Screen(3);
    screen.press(ONE);
    screen.press(button, { after: 200 });
    assert.equal(screen.entry, 2);
    assert.equal(screen.details[0].text, text);
  }
});

for (const [name, first, second, options, isIgnored] of [
  ["the same button within half a second", ONE, ONE, { after: 499 }, true],
  ["the same button after half a second", ONE, ONE, { after: 500 }, false],
  ["another button", ONE, TWO, { after: 300 }, false],
  ["another button after a reason, whose digit is the key of a grade", REASON, ONE, { after: 300 }, true],
  ["what the browser counts as a double click", ONE, TWO, { after: 800, detail: 2 }, true],
]) {
  test(`${name} is ${isIgnored ? "a" : "no"} second press`, () => {
    const screen = new Screen(3);
    screen.press(first);
    screen.press(second, options);
    assert.equal(screen.entry, isIgnored ? 2 : 3);
    if (isIgnored) assert.equal(screen.details[0].text, "Second press ignored");
  });
}

for (const act of ["menu", "undo"]) {
  test(`after "${act}" no press is a second press`, () => {
    const screen = new Screen(3);
    screen.press(ONE);
    screen.send(act);
    screen.press(ONE, { after: 300 });
    assert.equal(screen.effects[0], "answer");
  });
}

test("a press with an invalid form answers nothing", () => {
  const screen = new Screen(2);
  screen.press(ONE, { isValid: false });
  assert.deepEqual(screen.effects, ["complain"]);
});

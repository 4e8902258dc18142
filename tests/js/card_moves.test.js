// When a card screen shows another card.
import assert from "node:assert/strict";
import test from "node:test";
import { MAX_UNSENT, countMore, isAnswered, listOpenEntries } from "../../static/js/card/state.js";
import { OFFLINE, ONE, ONLINE, Screen, TWO, UNSENT, createCard } from "./card_screen.js";

const createWaiting = (length) => Array.from({ length }, (_, index) => ({ entry: index + 100 }));

test("a card that was answered without a next one takes no press, and is left as soon as one comes", () => {
  const screen = new Screen(1);
  screen.press(ONE);
  assert.equal(screen.phase(600), "answered");
  screen.press(TWO);
  assert.deepEqual(screen.effects, []);
  screen.send("response", { closed: [], cards: [createCard(2)] });
  assert.equal(screen.entry, 2);
});

test("the page asks for what is left when all answers are sent and no card is left", () => {
  const screen = new Screen(1);
  screen.press(ONE);
  screen.outbox = { ...ONLINE, unsent: [UNSENT] };
  screen.send("sent");
  assert.deepEqual(screen.effects, ["deliver"]);
  screen.outbox = { ...ONLINE, isBusy: true };
  screen.send("sent");
  assert.deepEqual(screen.effects, []);
  screen.outbox = ONLINE;
  screen.send("sent");
  assert.deepEqual(screen.effects, ["finish", "leave"]);
});

test("undo shows the previous card again, and the one that was left comes next", () => {
  const screen = new Screen(2);
  screen.press(ONE);
  screen.send("undo");
  assert.deepEqual(screen.effects, ["finish", "return", "show"]);
  assert.equal(screen.entry, 1);
  screen.send("next");
  assert.equal(screen.entry, 2);
  assert.equal(screen.state.previous.length, 1);
});

test("undo without a previous card and next on an open card leave the card", () => {
  const screen = new Screen(2);
  screen.send("undo");
  screen.send("next");
  assert.equal(screen.entry, 1);
});

test("a changed answer goes on to the next card without an answer", () => {
  const screen = new Screen(3);
  screen.press(ONE);
  screen.press(TWO);
  screen.send("undo");
  screen.send("undo");
  screen.press(TWO);
  assert.equal(screen.entry, 3);
  assert.deepEqual(
    screen.state.previous.map(({ dataset }) => dataset.relevance),
    ["2", "2"],
  );
});

test("a skipped card is forgotten and more are requested", () => {
  const screen = new Screen(2);
  screen.send("skip");
  assert.deepEqual(screen.effects, ["clear-selection", "show", "request"]);
  assert.deepEqual([screen.entry, screen.state.previous], [2, []]);
  screen.send("skip");
  assert.deepEqual(screen.effects, ["clear-selection", "note", "request"]);
  screen.send("response", { closed: [], cards: [createCard(3)] });
  assert.equal(screen.entry, 3);
});

for (const move of ["response", "elsewhere"]) {
  test(`the card that is removed by "${move}" stays while something is in use, and then keys rest`, () => {
    const screen = new Screen(2);
    screen.now = 1000;
    screen.use = "leave the field (Esc)";
    screen.send(move, { closed: ["1"], entry: 1, cards: [] });
    assert.equal(screen.entry, 1);
    assert.equal(screen.details[0].text, "The next document follows when you leave the field (Esc).");
    screen.send("released");
    assert.equal(screen.entry, 1, "still in use");
    screen.use = "";
    screen.send("released");
    assert.equal(screen.entry, 2);
    assert.equal(screen.phase(999), "resting");
    screen.send("act", { kind: "keydown" });
    screen.send("act", { kind: "pointerdown" });
    assert.equal(screen.phase(999), "resting");
    screen.send("tick");
    assert.deepEqual(screen.details, [{ type: "wake", delay: 6 }]);
    assert.equal(screen.phase(1), "ready");
  });
}

test("keys do not rest before the document that follows a press", () => {
  const screen = new Screen(1);
  screen.press(ONE);
  screen.now += 1999;
  screen.send("response", { closed: [], cards: [createCard(2)] });
  assert.equal(screen.phase(300), "ready");
});

test("a key between a press and its document means that the judge does not expect it any more", () => {
  const screen = new Screen(1);
  screen.press(ONE);
  screen.send("act", { kind: "keyup" });
  screen.send("act", { kind: "keydown" });
  screen.send("response", { closed: [], cards: [createCard(2)] });
  assert.equal(screen.phase(300), "resting");
});

test("a page that was opened by itself rests", () => {
  assert.equal(new Screen(1, { wasMoved: true }).phase(300), "resting");
  assert.equal(new Screen(1).phase(300), "ready");
});

test("a press during a rest is ignored with a word", () => {
  const screen = new Screen(2, { wasMoved: true });
  screen.press(ONE, { after: 300 });
  assert.equal(screen.entry, 1);
  assert.equal(screen.details[0].text, "This came by itself: wait a second, then press");
});

test("a card whose answer waits or was delivered since the page was requested is left at once", () => {
  const delivered = new Screen(2, { delivered: ["1"] });
  assert.deepEqual(delivered.effects, ["prepare", "show"]);
  assert.deepEqual([delivered.entry, delivered.state.previous], [2, []]);
  const waiting = new Screen(2, { outbox: { ...ONLINE, unsent: [UNSENT] } });
  assert.deepEqual([waiting.entry, waiting.state.previous.length], [2, 1]);
  const revoked = new Screen(2, { outbox: { ...ONLINE, unsent: [UNSENT, { ...UNSENT, revokes: "uuid" }] } });
  assert.equal(revoked.entry, 1);
});

test("new cards are added once, those with an unsent answer not at all, and those with an answer come first", () => {
  const screen = new Screen(2);
  const answered = createCard(5);
  answered.dataset.relevance = "0";
  screen.outbox = { ...ONLINE, unsent: [{ entry: 4 }] };
  screen.send("response", { closed: ["2"], cards: [createCard(1), createCard(3), createCard(4), answered] });
  assert.deepEqual(
    screen.state.next.map(({ dataset }) => dataset.entry),
    ["5", "3"],
  );
  assert.deepEqual(listOpenEntries(screen.state), [1, 3]);
  screen.press(ONE);
  assert.equal(screen.entry, 3);
});

test("a new card comes before those that the page has, if the queue has it there", () => {
  const screen = new Screen(4);
  const answered = createCard(9);
  answered.dataset.relevance = "0";
  const order = ["1", "2", "5", "3", "4", "6"];
  screen.send("response", { closed: [], cards: [createCard(6), createCard(5), createCard(7), answered], order });
  assert.deepEqual(
    screen.state.next.map(({ dataset }) => dataset.entry),
    ["9", "2", "5", "3", "4", "6", "7"],
  );
});

test("as many answers can be given while requests fail as cards are left and may wait", () => {
  const screen = new Screen(4);
  screen.outbox = { ...OFFLINE, unsent: createWaiting(2) };
  assert.equal(countMore({ ...screen.state, outbox: screen.outbox }), 3);
  assert.equal(countMore({ ...screen.state, outbox: { ...OFFLINE, unsent: createWaiting(MAX_UNSENT - 1) } }), 1);
  assert.equal(countMore({ ...screen.state, outbox: { ...OFFLINE, unsent: createWaiting(MAX_UNSENT + 1) } }), 0);
});

test("answers are taken while requests fail, until no card is left or too many wait", () => {
  const screen = new Screen(2);
  screen.outbox = { ...OFFLINE, unsent: [{ entry: 9 }] };
  assert.equal(screen.phase(300), "ready");
  screen.press(ONE);
  screen.press(TWO);
  assert.equal(screen.phase(), "blocked");
  const full = new Screen(2);
  full.outbox = { ...OFFLINE, unsent: Array.from({ length: MAX_UNSENT }, (_, index) => ({ entry: index + 10 })) };
  assert.equal(full.phase(300), "blocked");
});

test("no answers are taken when the server refuses them or the campaign has stopped", () => {
  const screen = new Screen(2);
  screen.outbox = { ...OFFLINE, unsent: [], isRefused: true };
  assert.equal(screen.phase(300), "blocked");
  screen.outbox = ONLINE;
  screen.send("response", { closed: [], cards: [], isStopped: true });
  assert.equal(screen.phase(), "blocked");
});

test("while the server is asked for another card, no press counts", () => {
  const screen = new Screen(2);
  screen.now = 600;
  screen.send("loading");
  assert.equal(screen.phase(), "loading");
  screen.send("loaded");
  assert.equal(screen.phase(), "ready");
});

test("a card that is replaced comes again after it, and the one that replaces it only once", () => {
  const screen = new Screen(3);
  screen.send("replacing", { copy: createCard(1) });
  assert.deepEqual(screen.effects, ["finish"]);
  screen.send("replaced", { card: createCard(3) });
  assert.deepEqual(screen.effects, ["prepare"]);
  assert.deepEqual([screen.entry, screen.state.next.map(({ dataset }) => dataset.entry)], [3, ["1", "2"]]);
});

test("a card is not replaced while something is in use", () => {
  const screen = new Screen(2);
  screen.use = "close the dialog (Esc)";
  screen.send("replacing", { copy: createCard(1) });
  assert.deepEqual([screen.effects, screen.state.next.length], [["note"], 1]);
});

const USES = ["", "", "", "leave the field (Esc)"];

/** Return random events; the same seed gives the same ones. */
function* createEvents(count, seed) {
  let [number, last] = [seed, 1];
  const random = (limit) => (number = (number * 48271) % 2147483647) % limit;
  const choose = (list) => list[random(list.length)];
  for (let round = 0; round < count; round += 1) {
    last += 1;
    const events = {
      press: { button: choose([ONE, TWO]), time: Infinity, detail: random(3) },
      act: { kind: choose(["keydown", "keyup", "pointerdown"]) },
      response: { closed: [String(random(last))], cards: [createCard(last)] },
    };
    const name = choose(["press", "undo", "next", "skip", "tick", "released", "act", "response"]);
    yield { name, fields: events[name], delay: random(700), use: choose(USES) };
  }
}

test("random events answer only the card on screen, and move no card that is in use", () => {
  const screen = new Screen(1);
  let answers = 0;
  for (const { name, fields, delay, use } of createEvents(20_000, 1)) {
    const { current } = screen.state;
    const wasAnswered = isAnswered(screen.state);
    screen.now += delay;
    screen.use = use;
    screen.send(name, fields);
    const answered = screen.details.filter(({ type }) => type === "answer");
    for (const { card } of answered) assert.ok(card === current && name === "press" && !wasAnswered);
    if (use && ["response", "tick", "released"].includes(name)) assert.equal(screen.state.current, current);
    assert.ok(!screen.state.next.includes(screen.state.current));
    assert.equal(new Set(screen.state.previous).size, screen.state.previous.length);
    answers += answered.length;
  }
  assert.ok(answers > 500);
});

// How many cards the judging page requests, and when.
import assert from "node:assert/strict";
import test from "node:test";
import { Prefetch } from "../../static/js/prefetch.js";

const MINUTE = 60_000;
const createCards = (length, text = "") => Array.from({ length }, () => ({ textContent: text }));

/** A page of a topic, whose server gives up to so many cards in a response. */
class Topic {
  constructor(context, { left = 200, batch = 20, text = "x", many = 50 } = {}) {
    this.timers = context.mock.timers;
    this.timers.enable({ apis: ["setTimeout"] });
    context.mock.method(Math, "random", () => 0);
    this.cards = createCards(4, text);
    this.wanted = [];
    this.outbox = { isBusy: false, failures: 0, latency: 0, unsent: [], listUnsent: () => this.outbox.unsent };
    this.outbox.deliver = () => {
      const want = this.prefetch.countWanted();
      this.wanted.push(want);
      const missing = Math.max(0, Math.min(want, left) - this.cards.length);
      this.cards.push(...createCards(Math.min(missing, batch), text));
    };
    const listCards = () => this.cards;
    this.prefetch = new Prefetch({ outbox: this.outbox, few: 14, many, listCards, countLeft: () => left });
    this.prefetch.start();
  }

  async wait(time) {
    this.timers.tick(time);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve(); // the responses
  }
}

test("soon a page requests a few cards, and after a minute without an answer many, in several responses", async (t) => {
  const topic = new Topic(t);
  await topic.wait(1000);
  assert.equal(topic.cards.length, 14);
  await topic.wait(MINUTE - 1001);
  assert.equal(topic.cards.length, 14);
  await topic.wait(1);
  assert.equal(topic.cards.length, 50);
  assert.deepEqual(topic.wanted, [14, 50, 50]);
  await topic.wait(10 * MINUTE);
  assert.equal(topic.wanted.length, 3); // a page that nobody uses sends nothing
});

test("each answer begins the minute again", async (t) => {
  const topic = new Topic(t);
  for (let seconds = 0; seconds < 300; seconds += 50) {
    await topic.wait(50_000);
    topic.prefetch.rest();
  }
  assert.equal(topic.cards.length, 14);
});

test("a page with many cards keeps about that number", async (t) => {
  const topic = new Topic(t);
  await topic.wait(MINUTE);
  topic.cards.splice(0, 5);
  assert.equal(topic.prefetch.countWanted(), 0);
  topic.cards.splice(0, 5);
  assert.equal(topic.prefetch.countWanted(), 50);
});

test("it waits while answers are not sent, and requests no more than the topic has", async (t) => {
  const topic = new Topic(t, { left: 30 });
  topic.outbox.unsent = [{}];
  await topic.wait(MINUTE);
  assert.equal(topic.cards.length, 14);
  topic.outbox.unsent = [];
  await topic.wait(MINUTE);
  assert.equal(topic.cards.length, 30);
  await topic.wait(10 * MINUTE);
  assert.deepEqual(topic.wanted, [14, 50]);
});

test("it stops when a response brings nothing", async (t) => {
  const topic = new Topic(t);
  topic.outbox.deliver = () => topic.wanted.push(50);
  await topic.wait(MINUTE);
  assert.equal(topic.wanted.length, 2); // the first one soon
});

test("it requests long documents up to 2 million characters, and few afterwards", async (t) => {
  const topic = new Topic(t, { text: "x".repeat(100_000), batch: 4 });
  await topic.wait(MINUTE);
  assert.equal(topic.cards.length, 20);
  assert.equal(topic.prefetch.countWanted(), 0);
});

test("of a shared topic it requests a few only", async (t) => {
  const topic = new Topic(t, { many: 14 });
  await topic.wait(10 * MINUTE);
  assert.deepEqual(topic.wanted, [14]);
});

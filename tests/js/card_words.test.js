// What the card screens say about answers that are not sent.
import assert from "node:assert/strict";
import test from "node:test";
import { describeBadge, describeFailure, describeUnsent } from "../../static/js/card/words.js";

const WORDS = { noun: "vote", activity: "voting", card: "pair" };
const STATUS = {
  error: "Down.",
  unsent: 1,
  unstored: 0,
  more: 2,
  isLate: false,
  failures: 0,
  isRefused: false,
  isBlocked: false,
};
const badge = (status) => describeBadge({ ...STATUS, ...status }, WORDS);
const failure = (status) => describeFailure({ ...STATUS, ...status }, WORDS);

test("the badge says that an answer is not sent only when it is late or a request has failed", () => {
  assert.deepEqual(badge({}), { text: "All saved", level: "muted" });
  assert.deepEqual(badge({ isLate: true }), { text: "1 not sent yet", level: "muted" });
  assert.deepEqual(badge({ failures: 1 }), { text: "1 not sent yet", level: "warning" });
  assert.deepEqual(badge({ failures: 1, isBlocked: true }), { text: "1 not sent yet, voting stopped", level: "alert" });
});

test("the message says where the answers are and whether the person can go on, and with how many cards", () => {
  const later = "when the server answers again";
  const goOn = "You can go on voting: 2 more pairs are here.";
  assert.equal(failure({}), `Down. 1 vote is stored in this browser and is sent ${later}. ${goOn}`);
  assert.equal(
    failure({ unsent: 2, isBlocked: true }),
    `Down. 2 votes are stored in this browser and are sent ${later}.`,
  );
  assert.equal(failure({ isRefused: true, isBlocked: true }), "Down. 1 vote is stored in this browser.");
  assert.equal(failure({ unsent: 0 }), `Down. ${goOn}`);
  assert.equal(failure({ unsent: 0, more: 1 }), "Down. You can go on voting: 1 more pair is here.");
  assert.equal(failure({ unsent: 0, more: 0 }), "Down. You can go on voting: this is the last pair here.");
  assert.match(failure({ unstored: 1 }), /^Down\. 1 vote is in this page only, because the browser storage is full/);
});

test("a page that takes no answers itself says what waits", () => {
  assert.equal(describeUnsent(1, "", "label"), "1 label is not sent yet.");
  assert.equal(describeUnsent(2, "Down.", "vote"), "2 votes are not sent yet. Down.");
});

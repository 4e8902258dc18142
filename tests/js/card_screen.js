// A card screen without a browser, for the tests of its state machine.
import { createState, getPhase, transition } from "../../static/js/card/state.js";

export const ONE = { name: "relevance", value: "1" };
export const TWO = { name: "relevance", value: "2" };
export const UNSENT = { entry: 1, pressed: 0 };
export const OFFLINE = { unsent: [UNSENT], failures: 1, isRefused: false, isBusy: false };
export const ONLINE = { unsent: [], failures: 0, isRefused: false, isBusy: false };
export const createCard = (entry) => ({ dataset: { entry: String(entry), relevance: "", reason: "" } });
const entryOf = ({ current }) => Number(current.dataset.entry);
const typesOf = (effects) => effects.map(({ type }) => type);

/** A screen that carries out the effects that change a card, as screen.js does, and keeps the list of the last ones. */
export class Screen {
  constructor(count, start = {}) {
    this.cards = Array.from({ length: count }, (_, index) => createCard(index + 1));
    this.state = createState(this.cards[0]);
    Object.assign(this, { now: 0, use: "", outbox: ONLINE });
    this.send("start", { cards: this.cards.slice(1), delivered: [], wasMoved: false, ...start });
  }

  send(type, fields = {}) {
    const { now, use, outbox } = this;
    const { state, effects } = transition(this.state, { type, now, use, outbox, ...fields });
    Object.assign(this, { state, effects: typesOf(effects), details: effects });
    for (const { type: effect, card, button } of effects) {
      if (effect === "answer") card.dataset[button.name] = button.value;
    }
  }

  /** Press a button after some ms; 600 ms are enough for the document to be read. */
  press(button, { after = 600, detail = 0, ...fields } = {}) {
    this.now += after;
    this.send("press", { button, source: "key", time: this.now, detail, ...fields });
  }

  /** Return the entry on screen. */
  get entry() {
    return entryOf(this.state);
  }

  /** Return the phase after some ms. */
  phase(after = 0) {
    this.now += after;
    return getPhase({ ...this.state, now: this.now, outbox: this.outbox });
  }
}

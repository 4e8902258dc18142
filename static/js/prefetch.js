// How many cards the judging page requests before it needs them. At first they are few. Once nothing was answered and
// sent for a minute the page requests many, for the case that the network fails for long, and keeps that number.
const DELAY = 1000; // ms until the first request, and a random part of up to 2000: judges often begin together
const REST = 60_000; // ms without an answer
const MIN_CARDS = 4; // on the page, with the one on screen
const RANDOM_CARDS = 4; // up to so many more, so that judges who began together send requests at different times
const MAX_TEXT = 2_000_000; // characters of the cards of which the page requests many

export class Prefetch {
  /**
   * outbox: sends the requests, each with countWanted(); few, many: number of cards on the page; listCards() returns
   * the open ones, countLeft() how many documents of the topic have no label.
   */
  constructor({ outbox, few, many, listCards, countLeft }) {
    Object.assign(this, { outbox, few, many, listCards, countLeft, size: few });
  }

  start() {
    setTimeout(() => this.lacks(this.few) && this.outbox.deliver(true), DELAY + 2000 * Math.random());
    this.rest();
  }

  /** Return the number of cards to request: none while the page has enough for the duration of a request. */
  countWanted() {
    const reserve = Math.ceil(this.outbox.latency / 300);
    const enough = MIN_CARDS + reserve + Math.floor(RANDOM_CARDS * Math.random());
    const cards = this.listCards();
    const size = this.size > this.few && measureText(cards) < MAX_TEXT ? this.size : this.few;
    return cards.length > size - this.few + enough ? 0 : size + reserve;
  }

  /** Wait for a minute without an answer. Call it again with each answer. */
  rest() {
    clearTimeout(this.timer);
    if (this.many === this.few) return; // the server gives no more
    this.timer = setTimeout(() => this.fill(), REST);
  }

  /** Request many cards, one response after the other, because each has a limited size. */
  async fill() {
    const { outbox } = this;
    if (outbox.isBusy || outbox.failures || outbox.listUnsent().length) {
      this.rest();
      return;
    }
    this.size = this.many;
    let before = -1;
    while (this.lacks(this.many) && this.countWanted() && this.listCards().length > before && !outbox.failures) {
      before = this.listCards().length;
      await outbox.deliver(true);
    }
  }

  /** Whether the page has fewer cards than a number, and fewer than the topic. */
  lacks(number) {
    return this.listCards().length < Math.min(number, this.countLeft());
  }
}

const measureText = (cards) => cards.reduce((sum, { textContent }) => sum + textContent.length, 0);

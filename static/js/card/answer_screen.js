// A card screen whose answers can be revoked: the decision of an adjudicator, the vote in a panel.
import * as comments from "../comments.js";
import { CardScreen } from "./screen.js";

const CARDS_AHEAD = 3; // on the page, with the one on screen

export class AnswerScreen extends CardScreen {
  constructor(options) {
    super({ drafts: `${options.words.noun} ${options.root.dataset.judge}`, ...options });
  }

  /** Show the first card, or the next one if it has an unsent answer, and request more. */
  start() {
    const { dataset } = this.state.current;
    const last = this.outbox.listUnsent().findLast(({ entry }) => String(entry) === dataset.entry);
    super.start();
    if (last && !last.revokes) Object.assign(dataset, { relevance: "unsent", uuid: last.uuid });
    this.outbox.deliver(true);
  }

  storeAnswer({ dataset }, button, { uuid }) {
    Object.assign(dataset, { relevance: button.value, uuid, comment: comments.readComment() });
    comments.discardDraft();
  }

  revoke(card) {
    const { uuid, relevance } = card.dataset;
    this.send(card, { revokes: uuid });
    Object.assign(card.dataset, { relevance: "", undone: relevance });
  }

  describeRequest() {
    const { judge, topic = "", query = "" } = this.root.dataset;
    return { judge: Number(judge), topic, query, have: this.listOpenEntries(), want: CARDS_AHEAD };
  }
}

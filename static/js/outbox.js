// Labels on their way to the server. A label lies in the browser's store until the server has said that it has it: through
// a reload, a closed tab, a lost network. Its UUID makes a second delivery harmless, so nothing here tries to be clever.
const PATIENCE = 20_000; // ms for an answer
const LONGEST = 30_000; // ms between two tries
const AT_ONCE = 50; // labels in one parcel
export const MOST_WAITING = 50; // labels that wait while nothing gets through: then judging stops

const REMOVED = "You are no longer a judge of this campaign. Tell its organiser.";
const SIGNED_OUT = "You are signed out. Sign in again in another tab; your labels are kept here and go out then.";
const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";
const clock = () => performance.timeOrigin + performance.now();
// How long ago the label was given, not when: the clock of this computer may be wrong.
const aged = ({ url, pressed, ...fields }) => ({ ...fields, seconds_ago: (clock() - pressed) / 1000 });
const alone = (work) => (navigator.locks ? navigator.locks.request("jurypool outbox", work) : work()); // one tab at a time

export class Outbox {
  /** compose(): what goes along with labels. arrived(fragment): the server has them. changed(): look at me again. */
  constructor({ judge, url, compose, arrived, changed }) {
    Object.assign(this, { prefix: `jurypool label ${judge} `, url, compose, arrived, changed });
    Object.assign(this, { unkept: new Map(), failures: 0, trouble: "", refused: false, delay: 0, busy: false });
    addEventListener("online", () => this.deliver(false, true));
    addEventListener("storage", ({ key, newValue }) => key?.startsWith(this.prefix) && this.deliver(newValue === null)); // another tab
  }

  /** Every label that the server has not confirmed, in the order of the presses. */
  waiting() {
    const kept = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    const labels = [...kept.map((key) => JSON.parse(localStorage.getItem(key) ?? "{}")), ...this.unkept.values()];
    return labels.filter(({ url }) => url === this.url).sort((one, other) => one.pressed - other.pressed);
  }

  keep(label) {
    const entry = { ...label, url: this.url, pressed: clock() };
    try {
      localStorage.setItem(this.prefix + label.uuid, JSON.stringify(entry));
    } catch {
      // the store is full or forbidden: the label lives as long as this page
      this.unkept.set(label.uuid, entry);
    }
    setTimeout(() => this.deliver()); // after the next document is painted
  }

  drop({ uuid }) {
    localStorage.removeItem(this.prefix + uuid);
    this.unkept.delete(uuid);
  }

  /**
   * Send what waits. ask: even if nothing does, because cards are wanted. now: at once, although the last try
   * failed; otherwise the timer of the next try decides, however often this is called.
   */
  async deliver(ask = false, now = false) {
    if (this.busy || (this.failures && !now)) return void (this.asked ||= ask);
    [this.busy, this.asked] = [true, false];
    clearTimeout(this.timer);
    try {
      await alone(() => this.empty(ask));
      Object.assign(this, { failures: 0, trouble: "", refused: false });
    } catch (error) {
      this.failures += 1;
      this.trouble = error.said ?? "The server does not answer.";
      this.refused = error.refused ?? false;
      this.asked ||= ask;
      const delay = Math.min(LONGEST, 500 * 2 ** this.failures) * (0.8 + 0.4 * Math.random()); // not all at once
      this.timer = setTimeout(() => this.deliver(this.asked, true), delay);
    }
    this.busy = false;
    this.changed();
    if (this.asked && !this.failures) this.deliver(true);
  }

  async empty(ask) {
    for (let labels; (labels = this.waiting().slice(0, AT_ONCE)).length || ask; ask = false) {
      const began = performance.now();
      const fragment = await this.post(labels);
      this.delay = performance.now() - began;
      labels.forEach((label) => this.drop(label));
      this.arrived(fragment);
    }
  }

  async post(labels) {
    const response = await fetch(this.url, {
      method: "POST",
      redirect: "manual",
      headers: { "X-CSRFToken": token(), "Content-Type": "application/json" },
      body: JSON.stringify({ ...this.compose(), labels: labels.map(aged) }),
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (response.ok)
      return Object.assign(document.createElement("template"), { innerHTML: await response.text() }).content;
    const said =
      response.type === "opaqueredirect" || response.status === 403
        ? SIGNED_OUT
        : response.status === 409
          ? await response.text()
          : response.status === 404
            ? REMOVED
            : `The server answered ${response.status}.`;
    throw Object.assign(new Error(said), { said, refused: response.status < 500 }); // an opaque redirect has 0
  }
}

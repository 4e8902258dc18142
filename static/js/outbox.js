// Sends labels to the server. A label stays in the browser's storage until the server has confirmed it, so a reload, a
// closed tab or a network failure does not lose it. The server recognises the UUID of a label that it gets twice.
import { readCsrfToken } from "./csrf.js";

const REQUEST_TIMEOUT = 20_000; // ms
const MAX_RETRY_DELAY = 30_000; // ms
const BATCH_SIZE = 50; // labels in one request
const DELIVERY_MEMORY = 600_000; // ms in which a page that was requested before a delivery may still open
const PART_MEMORY = 60_000; // the same, for labels of parts of a card, which are stored whole

const REMOVED = "You are no longer a judge of this campaign. Tell its organiser.";
const SIGNED_OUT = "You are signed out. Sign in again: what is not sent yet is sent then.";
const readClock = () => performance.timeOrigin + performance.now();
// The server gets the age of a label and not its time, because the clock of this computer may be wrong.
const serialize = ({ url: _url, pressed, ...fields }) => ({ ...fields, seconds_ago: (readClock() - pressed) / 1000 });
// Only one tab sends at a time.
const runExclusively = (task) => (navigator.locks ? navigator.locks.request("jurypool outbox", task) : task());

export class Outbox {
  /**
   * describeRequest() returns the fields that go along with the labels; onResponse(fragment, labels) gets the server's
   * answer to a request that succeeded, and the labels of the request; onChange() is called after every attempt.
   */
  constructor({ judge, url, describeRequest, onResponse, onChange }) {
    Object.assign(this, { prefix: `jurypool label ${judge} `, url, describeRequest, onResponse, onChange });
    this.deliveries = `jurypool delivered ${judge} ${url}`;
    this.parts = `jurypool delivered parts ${judge} ${url}`;
    this.unstored = new Map(); // UUID -> label that did not fit into the storage
    this.failures = 0; // in succession
    this.error = "";
    this.isRefused = false; // the server answered, but takes no labels
    this.isSignedOut = false;
    this.latency = 0; // ms of the last request
    this.isBusy = false;
    addEventListener("online", () => this.deliver(false, true));
    addEventListener("focus", () => this.retryNow()); // perhaps back from the page on which the judge signed in
    document.addEventListener("visibilitychange", () => this.retryNow());
    addEventListener("storage", ({ key, newValue }) => {
      if (key?.startsWith(this.prefix)) this.deliver(newValue === null); // another tab added or sent a label
    });
  }

  /** Return the labels that the server has not confirmed, in the order in which they were given. */
  listUnsent() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
    const stored = keys.map((key) => JSON.parse(localStorage.getItem(key) ?? "{}"));
    const labels = [...stored, ...this.unstored.values()].filter(({ url }) => url === this.url);
    return labels.toSorted((one, other) => one.pressed - other.pressed);
  }

  /** Store a label and send it. */
  add(label) {
    const entry = { ...label, url: this.url, pressed: readClock() };
    try {
      localStorage.setItem(this.prefix + label.uuid, JSON.stringify(entry));
    } catch {
      this.unstored.set(label.uuid, entry); // the storage is full or forbidden
    }
    setTimeout(() => this.deliver()); // after the browser has painted the next document
  }

  /**
   * Return the entries whose labels the server has stored since this page was requested. It may have rendered the page
   * before, without them.
   */
  listDelivered() {
    const times = Object.entries(this.readDeliveries());
    return times.filter(([, time]) => time > performance.timeOrigin).map(([entry]) => entry);
  }

  /**
   * Return the labels of parts of a card, which have a task, that the server has stored since this page was requested,
   * in the order in which they were given.
   */
  listDeliveredParts() {
    return this.readParts().filter(({ delivered }) => delivered > performance.timeOrigin);
  }

  readParts() {
    return JSON.parse(localStorage.getItem(this.parts) ?? "[]");
  }

  /** Return entry -> time of the delivery of its label. */
  readDeliveries() {
    return JSON.parse(localStorage.getItem(this.deliveries) ?? "{}");
  }

  /** Store when labels were delivered, for pages that are loading in other tabs or instead of this page. */
  storeDeliveries(labels) {
    const now = Date.now();
    const recent = Object.entries(this.readDeliveries()).filter(([, time]) => now - time < DELIVERY_MEMORY);
    for (const { entry } of labels) recent.push([entry, now]);
    const parts = this.readParts().filter(({ delivered }) => now - delivered < PART_MEMORY);
    for (const label of labels) if (label.task) parts.push({ ...label, delivered: now });
    try {
      localStorage.setItem(this.deliveries, JSON.stringify(Object.fromEntries(recent)));
      if (parts.length) localStorage.setItem(this.parts, JSON.stringify(parts));
    } catch {
      // The storage is full or forbidden: such a page learns of the labels with its next request.
    }
  }

  remove({ uuid }) {
    localStorage.removeItem(this.prefix + uuid);
    this.unstored.delete(uuid);
  }

  /**
   * Send all unsent labels.
   * isEmptySent: send a request even without labels, to get cards. isImmediate: send at once although the last request
   * failed; otherwise the timer of the next retry decides.
   */
  async deliver(isEmptySent = false, isImmediate = false) {
    if (this.isBusy || (this.failures && !isImmediate)) {
      this.isEmptyWanted ||= isEmptySent;
      return;
    }
    this.isBusy = true;
    this.isEmptyWanted = false;
    clearTimeout(this.timer);
    try {
      await runExclusively(() => this.sendBatches(isEmptySent));
      Object.assign(this, { failures: 0, error: "", isRefused: false, isSignedOut: false });
    } catch (error) {
      this.isEmptyWanted ||= isEmptySent;
      this.retryLater(error);
    }
    this.isBusy = false;
    this.onChange();
    if (this.isEmptyWanted && !this.failures) this.deliver(true);
  }

  /** Start the timer of the next attempt: exponential backoff, with a random part against simultaneous retries. */
  retryLater(error) {
    this.failures += 1;
    this.error = error.answer ?? "The server does not answer.";
    this.isRefused = error.isRefused ?? false;
    this.isSignedOut = error.answer === SIGNED_OUT;
    const delay = Math.min(MAX_RETRY_DELAY, 500 * 2 ** this.failures) * (0.8 + 0.4 * Math.random());
    this.timer = setTimeout(() => this.deliver(this.isEmptyWanted, true), delay);
  }

  /** Send again at once what has failed, if the page is visible. */
  retryNow() {
    if (this.failures && document.visibilityState === "visible") this.deliver(this.isEmptyWanted, true);
  }

  /** Send the unsent labels in their order, one request after the other. */
  async sendBatches(isEmptySent) {
    const labels = this.listUnsent().slice(0, BATCH_SIZE);
    if (!labels.length && !isEmptySent) return;
    const began = performance.now();
    const fragment = await this.postLabels(labels);
    this.latency = performance.now() - began;
    const problems = [...fragment.querySelectorAll("[data-problem]")];
    const refused = new Set(problems.map((problem) => problem.closest("[data-uuid]")?.dataset.uuid));
    this.storeDeliveries(labels.filter(({ uuid, later }) => !later && !refused.has(uuid)));
    for (const label of labels) this.remove(label);
    this.onResponse(fragment, labels);
    await this.sendBatches(false);
  }

  async postLabels(labels) {
    const response = await fetch(this.url, {
      method: "POST",
      redirect: "manual",
      headers: { "X-CSRFToken": readCsrfToken(), "Content-Type": "application/json" },
      body: JSON.stringify({ ...this.describeRequest(), labels: labels.map(serialize) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT),
    });
    if (!response.ok) {
      const answer = await describeError(response);
      const isRefused = response.status < 500; // the status of a redirect is 0
      throw Object.assign(new Error(answer), { answer, isRefused });
    }
    const template = document.createElement("template");
    template.innerHTML = await response.text();
    return template.content;
  }
}

async function describeError(response) {
  const isSignedOut = response.status === 403 && !readCsrfToken(); // else the judge has another role now
  if (response.type === "opaqueredirect" || isSignedOut) return SIGNED_OUT;
  if (response.status === 409) return response.text();
  if ([403, 404].includes(response.status)) return REMOVED;
  return `The server answered ${response.status}.`;
}

// The judge's note on the topic: stored on the server a second after the last key, and in the browser until the server
// has confirmed it.
import { createKey, readDraft, removeDraft, storeDraft } from "./drafts.js";
import { readCsrfToken } from "./csrf.js";

const DELAY = 1000; // ms
const root = document.getElementById("judging-screen");
const state = document.getElementById("note-state");
let key = ""; // of the draft
let stored = ""; // the text that the server has
let timer = 0;

function begin(field) {
  stored = field.value;
  if (stored) field.closest("details").open = true; // a note that exists stays in sight
  key = createKey("note", root.dataset.judge, field.dataset.url);
  const draft = readDraft(key);
  if (draft === stored) {
    removeDraft(key); // the server has stored it, and its answer did not arrive
  } else if (draft !== null) {
    field.value = draft;
    schedule(field, 0);
  }
  field.addEventListener("input", () => {
    storeDraft(key, field.value);
    schedule(field, DELAY);
  });
  field.addEventListener("change", () => schedule(field, 0));
  addEventListener("online", () => schedule(field, 0));
}

function schedule(field, delay) {
  clearTimeout(timer);
  if (field.value === stored) return;
  state.textContent = "not saved yet";
  timer = setTimeout(save, delay, field);
}

async function save(field) {
  const text = field.value;
  try {
    const answer = await fetch(field.dataset.url, {
      method: "POST",
      headers: { "X-CSRFToken": readCsrfToken() },
      body: new URLSearchParams({ text, based_on: stored }),
    });
    showAnswer(field, text, answer.status, answer.ok || answer.status < 500 ? await answer.json() : {});
  } catch {
    state.textContent = "not saved: no answer from the server";
  }
}

function showAnswer(field, text, status, answer) {
  if (status === 200) {
    stored = text;
    if (field.value === text) removeDraft(key);
    state.textContent = field.value === text ? "saved" : "not saved yet";
  } else if (status === 409) {
    // another device has changed it: both texts stay
    stored = answer.stored;
    field.value = `${field.value}\n\n${answer.stored}`;
    storeDraft(key, field.value);
    state.textContent = "changed on another device: both texts are here";
    schedule(field, DELAY);
  } else {
    state.textContent = `not saved: ${answer.problem ?? "the server refused it"}`;
  }
}

document.addEventListener("htmx:afterSettle", () => {
  const field = document.getElementById("note");
  if (field && !field.dataset.begun) {
    field.dataset.begun = "true";
    begin(field);
  }
});

// A break after many documents or a long sitting. It is offered between two cards, never in the way of a press.
const DOCUMENTS = 50,
  MINUTES = 45,
  REST = 5; // REST: minutes without a label that are a break already
const STORE = "jurypool sitting";
const dialog = document.getElementById("break");
const fresh = () => ({ began: Date.now(), last: Date.now(), documents: 0 });
const sitting = () => JSON.parse(sessionStorage.getItem(STORE)) ?? fresh();
const keep = (now) => sessionStorage.setItem(STORE, JSON.stringify(now));

/** A document was labelled: count it, and offer the break when it is due. */
export function labelled() {
  if (!dialog) return; // the campaign has no breaks
  let now = sitting();
  if (Date.now() - now.last > REST * 60_000) now = fresh();
  now = { ...now, last: Date.now(), documents: now.documents + 1 };
  const minutes = Math.round((now.last - now.began) / 60_000);
  if (now.documents >= DOCUMENTS || minutes >= MINUTES) {
    dialog.querySelector("[data-of=sitting]").textContent =
      `${now.documents} documents in ${Math.max(1, minutes)} minutes.`;
    dialog.showModal();
    now = fresh();
  }
  keep(now);
}

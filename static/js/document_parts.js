// The parts of a long document. A part that is not loaded yet is <div class="pending-part" data-part="3" hx-get="...">;
// htmx replaces it by <div class="document-part" data-part="3"> when it is scrolled into view.
const LOAD_TIMEOUT = 10_000; // ms
const requests = new WeakMap(); // article -> the request for the rest of its text

/** Request a part of the text and wait until htmx has replaced it, the request has failed or the time is over. */
export function loadPart(part) {
  return new Promise((resolve) => {
    const stop = () => {
      observer.disconnect();
      clearTimeout(timer);
      resolve();
    };
    const observer = new MutationObserver(() => part.isConnected || stop());
    const timer = setTimeout(stop, LOAD_TIMEOUT);
    for (const failure of ["htmx:sendError", "htmx:responseError"]) {
      part.addEventListener(failure, stop, { once: true });
    }
    observer.observe(part.parentNode, { childList: true });
    part.dispatchEvent(new Event("wanted"));
  });
}

/** Load all parts of the text that are missing, in one request. The event "partsloaded" says that they are there. */
export function loadAllParts(article) {
  const first = article.querySelector(".pending-part");
  if (!first) return Promise.resolve();
  if (!requests.has(article)) {
    const request = requestParts(article, first).finally(() => requests.delete(article));
    requests.set(article, request);
  }
  return requests.get(article);
}

async function requestParts(article, first) {
  try {
    const response = await fetch(`${first.getAttribute("hx-get")}?rest`, { signal: AbortSignal.timeout(LOAD_TIMEOUT) });
    if (!response.ok) return;
    const template = document.createElement("template");
    template.innerHTML = await response.text();
    for (const part of template.content.querySelectorAll(".document-part")) {
      article.querySelector(`.pending-part[data-part="${part.dataset.part}"]`)?.replaceWith(part);
    }
    article.dispatchEvent(new Event("partsloaded", { bubbles: true }));
  } catch {
    // without a network the parts stay as they are: scrolling to one requests it again
  }
}

const findChoice = (article) => article.querySelector("[data-parts]");

/** Show the number of the part at the top of the reader in the field that chooses a part. */
function showPosition(reader, choice) {
  const top = reader.getBoundingClientRect().top + reader.clientHeight / 3;
  const parts = [...reader.querySelectorAll("[data-part]")];
  const current = parts.findLast((part) => part.getBoundingClientRect().top <= top) ?? parts[0];
  choice.value = current.dataset.part;
}

async function goToPart(article, number) {
  const find = () => article.querySelector(`[data-part="${number}"]`);
  if (find().matches(".pending-part")) await loadPart(find());
  find().scrollIntoView();
}

/** Listen for scrolling, for the choice of a part, and for the browser's search, which needs the whole text. */
export function listenForParts(reader, getArticle) {
  let frame = 0;
  const update = () => {
    frame = 0;
    const choice = findChoice(getArticle());
    if (choice) showPosition(reader, choice);
  };
  reader.addEventListener("scroll", () => (frame ||= requestAnimationFrame(update)), { passive: true });
  reader.addEventListener("change", ({ target }) => {
    if (target.matches("[data-parts]")) goToPart(getArticle(), target.value);
  });
  document.addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
    if (key === "F3" || ((ctrlKey || metaKey) && key.toLowerCase() === "f")) loadAllParts(getArticle());
  });
}

// From hit to hit in a document, and a judge's own words marked in it. Exports only; the judging screen binds keys.
// The article holds the text alone and says data-densest="17" (a hit) and data-count="id" (of the role=status that
// reads "3 of 17"). A hit is <mark class="term-3" data-hit="0">, numbered over the whole text; a part still to come
// <div class="waiting" data-first="12" data-hits="4" hx-trigger="intersect once, wanted" ...>, its first hit 12.
const LATE = 10_000; // ms after which a part that was asked for is given up
const LETTER = "[\\p{L}\\p{N}\\p{M}]";

/** Every hit in the order of the text: the marks of one (an inline element may part a word), or a part to come. */
function stops(article) {
  const found = [];
  for (const element of article.querySelectorAll("mark, .waiting")) {
    const { hit, hits, first } = element.dataset;
    if (element.localName !== "mark") found.push({ waiting: element, first: Number(first), hits: Number(hits) });
    else if (hit !== undefined && found.at(-1)?.hit === hit) found.at(-1).marks.push(element);
    else found.push({ marks: [element], hit, hits: 1 });
  }
  return found.filter(({ hits }) => hits > 0);
}

const current = (all) => all.findIndex(({ marks }) => marks?.some((mark) => mark.classList.contains("at")));

function say(article, text) {
  const status = document.getElementById(article.dataset.count);
  if (status) status.textContent = text;
}

/** Have a part loaded, whoever asked for it first, and wait until it stands in its place. */
function load(part) {
  return new Promise((resolve) => {
    const watch = new MutationObserver(() => part.isConnected || done());
    const late = setTimeout(() => done(), LATE);
    const done = () => [watch.disconnect(), clearTimeout(late), resolve()];
    for (const failed of ["htmx:sendError", "htmx:responseError"]) part.addEventListener(failed, done, { once: true });
    watch.observe(part.parentNode, { childList: true });
    part.dispatchEvent(new Event("wanted"));
  });
}

function stand(article, all, place) {
  article.querySelectorAll("mark.at").forEach((mark) => mark.classList.remove("at"));
  all[place].marks.forEach((mark) => mark.classList.add("at"));
  all[place].marks[0].scrollIntoView({ block: "center" });
  const sum = (some) => some.reduce((total, { hits }) => total + hits, 0);
  say(article, `${sum(all.slice(0, place)) + 1} of ${sum(all)}`);
  return all[place].marks[0];
}

/** Go to a hit by its number, loading its part if need be. Returns its mark, or null. */
export async function to(article, hit) {
  const wanted = Number(hit);
  const part = stops(article).find(({ waiting, first, hits }) => waiting && first <= wanted && wanted < first + hits);
  if (part) await load(part.waiting);
  const all = stops(article);
  const place = all.findIndex((stop) => stop.hit === String(wanted));
  if (place >= 0) return stand(article, all, place);
  say(article, part ? "The rest of the text did not come. Try again." : "No hits");
  return null;
}

async function step(article, by) {
  if (article.classList.contains("unmarked")) return null;
  const all = stops(article);
  if (!all.length) return to(article, NaN);
  const from = current(all);
  const place = from < 0 && by < 0 ? all.length - 1 : (from + by + all.length) % all.length;
  const { waiting, first, hits } = all[place];
  return waiting ? to(article, by > 0 ? first : first + hits - 1) : stand(article, all, place);
}

export const next = (article) => step(article, 1);
export const previous = (article) => step(article, -1);
export const densest = (article) => to(article, article.dataset.densest);

/** Show the marks or not; the caller logs it, for marks may bias. Returns whether they are shown. */
export function show(article, on = article.classList.contains("unmarked")) {
  article.classList.toggle("unmarked", !on);
  return on;
}

/** What was typed as a pattern: words that begin so, from four letters on; whole words if shorter or in quotes. */
function pattern(typed) {
  const quoted = /^["“„].*/.test(typed);
  const words = typed
    .replace(/["“”„]/g, " ")
    .trim()
    .split(/\s+/)
    .filter(Boolean);
  if (!words.length) return null;
  const written = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("[\\s\\-‐‑–]+");
  const end = quoted || typed.trim().length < 4 ? `(?!${LETTER})` : `${LETTER}*`;
  return new RegExp(`(?<!${LETTER})${written}${end}`, "giu");
}

/** Mark what the judge typed in the text that is loaded, but for what is marked already. Returns how many hits. */
export function mark(article, typed, colour) {
  const wanted = pattern(typed);
  if (!wanted) return 0;
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.parentElement.closest("mark")) for (const match of node.data.matchAll(wanted)) found.push([node, match]);
  }
  for (const [node, { index, 0: text }] of found.reverse()) {
    // from the end, so that the places before it hold
    node.splitText(index + text.length);
    const wrap = Object.assign(document.createElement("mark"), { className: `term-${colour}` });
    wrap.dataset.own = typed;
    const hit = node.splitText(index);
    hit.replaceWith(wrap);
    wrap.append(hit);
  }
  return found.length;
}

/** Take the marks of what the judge typed away again. */
export function unmark(article, typed) {
  for (const own of article.querySelectorAll("mark[data-own]")) {
    const parent = own.parentNode;
    if (own.dataset.own !== typed) continue;
    own.replaceWith(...own.childNodes);
    parent.normalize();
  }
}

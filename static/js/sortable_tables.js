// Adds a search field, filters and sorting to each table with data-sortable. A column head with data-filter gets a list
// of the values of its column; one with data-fixed is not sortable. Without this script a table is plain.
import { createButton } from "./buttons.js";

const ROWS_SHOWN = 500; // rows in the layout at first, so that a table of 10,000 rows stays quick
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Return the text of a cell; of a time, the moment in UTC. */
function readCell(row, column) {
  const cell = row.cells[column];
  return cell?.querySelector("time")?.dateTime ?? cell?.textContent.replaceAll(/\s+/g, " ").trim() ?? "";
}

/** Return the key by which a text sorts: its number if it is one. */
function createKey(text, row) {
  const number = text === "" ? Number.NaN : Number(text.replaceAll(",", "").replace("−", "-"));
  return { text, number, row };
}

/** Compare two keys, as numbers if both are numbers. Empty texts come last in both directions. */
function compare(one, other, sign) {
  if (!one.text || !other.text) return Number(!one.text) - Number(!other.text);
  const difference = one.number - other.number;
  return sign * (Number.isNaN(difference) ? collator.compare(one.text, other.text) : difference);
}

function prepareTable(table) {
  if (table.dataset.ready || !table.tBodies[0]) return;
  table.dataset.ready = "true";
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows].at(-1).cells;
  const state = { table, rows, limit: ROWS_SHOWN, filters: new Map(), words: [] };
  const controls = document.createElement("div");
  controls.className = "controls compact table-filters";
  controls.append(createSearch(state));
  for (const head of heads) {
    if (head.dataset.filter !== undefined) addFilter(state, controls, head);
    if (head.textContent.trim() && !head.querySelector("a") && head.dataset.fixed === undefined)
      addSorting(state, head);
  }
  state.status = document.createElement("output");
  state.status.className = "muted small";
  state.more = createButton("Show all rows", () => {
    state.limit = Number.POSITIVE_INFINITY;
    showRows(state);
  });
  controls.append(state.status, state.more);
  (table.closest(".scroll") ?? table).before(controls);
  showRows(state);
}

function createSearch(state) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.type = "search";
  input.autocomplete = "off";
  label.append("Find ", input);
  input.addEventListener("input", () => {
    state.words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    showRows(state);
  });
  return label;
}

/** Add a list of the values of a column, if there are several. */
function addFilter(state, controls, head) {
  const column = head.cellIndex;
  const values = [...new Set(state.rows.map((row) => readCell(row, column)))].toSorted(collator.compare);
  if (values.length < 2) return;
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.add(new Option("all", "all"));
  for (const [index, value] of values.entries()) select.add(new Option(value || "none", String(index)));
  label.append(`${head.textContent.trim()} `, select);
  select.addEventListener("change", () => {
    state.filters.delete(column);
    if (select.value !== "all") state.filters.set(column, values[Number(select.value)]);
    showRows(state);
  });
  controls.append(label);
}

function addSorting(state, head) {
  const button = createButton("", () => sortRows(state, head));
  button.className = "sort";
  button.append(...head.childNodes);
  head.append(button);
  head.setAttribute("aria-sort", "none");
}

function sortRows(state, head) {
  const isAscending = head.getAttribute("aria-sort") !== "ascending";
  for (const other of head.parentElement.querySelectorAll("[aria-sort]")) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
  const sign = isAscending ? 1 : -1;
  const column = head.cellIndex;
  const keys = state.rows.map((row) => createKey(readCell(row, column), row));
  state.rows = keys.toSorted((one, other) => compare(one, other, sign)).map(({ row }) => row);
  showRows(state);
  state.table.tBodies[0].append(...state.rows);
}

/** Show the rows that match, up to the limit, and say how many there are. */
function showRows(state) {
  let found = 0;
  for (const row of state.rows) {
    const isMatch = matches(row, state);
    row.hidden = !isMatch || found >= state.limit;
    found += Number(isMatch);
  }
  const shown = Math.min(found, state.limit).toLocaleString("en");
  state.status.textContent = `${shown} of ${state.rows.length.toLocaleString("en")} rows`;
  state.more.hidden = found <= state.limit;
}

function matches(row, { words, filters }) {
  if ([...filters].some(([column, value]) => readCell(row, column) !== value)) return false;
  if (!words.length) return true;
  const text = row.textContent.toLowerCase();
  return words.every((word) => text.includes(word));
}

function prepareTables(element) {
  for (const table of element.querySelectorAll("table[data-sortable]")) prepareTable(table);
}

prepareTables(document);
document.addEventListener("htmx:load", ({ detail }) => prepareTables(detail.elt.parentElement ?? detail.elt));

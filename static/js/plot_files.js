// Saves a plot as SVG or PNG, and its numbers as CSV.

/** Add the buttons to the heading of a plot. getChart() and getOptions() return the plot as it is drawn then. */
export function addFileButtons(box, plot, getChart, getOptions) {
  const header = box.parentElement.querySelector("header");
  if (!header || header.querySelector("[data-save]")) return;
  const name = plot.name ?? box.dataset.plot;
  const title = header.querySelector("h2").textContent;
  const savers = {
    SVG: () => saveFile(`${name}.svg`, getChart().renderToSVGString(), "image/svg+xml"),
    PNG: () => saveFile(`${name}.png`, drawPng(getOptions(), box)),
    ...(plot.columns && { CSV: () => saveFile(`${name}.csv`, writeCsv(plot), "text/csv") }),
  };
  const actions = document.createElement("span");
  actions.className = "actions";
  for (const [format, save] of Object.entries(savers)) actions.append(createButton(format, title, save));
  header.append(actions);
}

function createButton(format, title, save) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "text";
  button.dataset.save = format;
  button.textContent = format;
  button.setAttribute("aria-label", `Save ${title} as ${format}`);
  button.addEventListener("click", save);
  return button;
}

/** Download a file that the page has created. */
function saveFile(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A cell that begins like a formula gets an apostrophe, because a spreadsheet would run it.
const escapeFormula = (cell) => (/^[=+\-@\t\r]/.test(cell) && isNaN(cell) ? `'${cell}` : cell);
const quoteCell = (cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const writeRow = (row) => `${row.map((cell) => quoteCell(escapeFormula(String(cell ?? "")))).join(",")}\n`;
const writeCsv = ({ columns, rows }) => [columns, ...rows].map(writeRow).join("");

/** Draw the plot on a canvas in twice the size; the one on the page is SVG. */
function drawPng(options, { clientWidth: width, clientHeight: height }) {
  const size = { width, height, devicePixelRatio: 2 };
  const chart = echarts.init(document.createElement("div"), "jurypool", { renderer: "canvas", ...size });
  chart.setOption(options);
  const [, base64] = chart.getDataURL({ type: "png", pixelRatio: 2 }).split(",");
  chart.dispose();
  return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type: "image/png" });
}

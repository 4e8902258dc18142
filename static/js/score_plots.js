// The ECharts options of the plots of scores. A plot is the JSON that metrics/plots.py writes: columns and rows of
// numbers, the names of the axes (x, y) and their ends (from_x, to_x, from_y, to_y).
import {
  LEGEND,
  NO_MARKS,
  ZOOM_FRAME,
  createMarks,
  createOutline,
  createRowAxis,
  createValueAxis,
  createZoom,
  createZoomedBars,
  formatCount,
  formatNumber,
  selectColumn,
} from "./plot_parts.js";
import { readToken } from "./plot_theme.js";

const MAX_NAMED_POINTS = 50; // with more points, only the tooltip shows the names
const LINE_STYLES = ["solid", "dashed", "dotted", "dashed"];
const SYMBOLS = ["circle", "diamond", "triangle", "rect"];
const INVISIBLE = { silent: true, itemStyle: { opacity: 0 }, tooltip: { show: false } };

/** A curve for every column after the first, except for two columns that are drawn as a band behind the curves. */
export function createLinesOptions(plot) {
  const band = plot.band ?? [];
  const shown = plot.series ?? plot.columns.map((_, index) => index).filter((index) => index && !band.includes(index));
  return {
    grid: ZOOM_FRAME,
    legend: { ...LEGEND, show: shown.length > 1, data: shown.map((index) => plot.columns[index]) },
    dataZoom: createZoom(),
    tooltip: { trigger: "axis", valueFormatter: formatNumber },
    xAxis: band.length ? createBandAxis(plot) : createNumberAxis(plot),
    yAxis: createValueAxis(plot),
    series: [
      ...createBand(plot, band),
      ...shown.map((column, place) => createLine(plot, column, place)),
      ...(plot.diagonal ? [createDiagonal("by chance", 0, 1, "dotted")] : []),
    ],
  };
}

const createBandAxis = (plot) => ({
  type: "category",
  name: plot.x,
  nameGap: 30,
  boundaryGap: false,
  data: selectColumn(plot, 0),
});
const createNumberAxis = ({ x, from_x: min, to_x: max }) => ({
  type: "value",
  name: x,
  nameGap: 30,
  min: min ?? "dataMin",
  max: max ?? "dataMax",
  axisLabel: { formatter: formatCount, hideOverlap: true },
});

/** A band is two stacked lines: an invisible one at the lower values, and the filled difference above it. */
function createBand(plot, [low, high]) {
  if (low == null) return [];
  const line = { type: "line", stack: "band", lineStyle: { opacity: 0 }, ...NO_MARKS };
  const height = plot.rows.map((row) => row[high] - row[low]);
  const areaStyle = { color: readToken("plot-band"), opacity: 1 };
  return [
    { ...line, data: selectColumn(plot, low) },
    { ...line, data: height, areaStyle },
  ];
}

function createLine(plot, column, place) {
  const points = plot.rows.filter((row) => row[column] != null).map((row) => [row[0], row[column]]);
  const style = (place + (place >> 2)) % 4; // the fifth curve has the first colour again, but not the first style
  return {
    name: plot.columns[column],
    type: "line",
    data: plot.band?.length ? selectColumn(plot, column) : points,
    symbol: SYMBOLS[style],
    symbolSize: 6,
    showSymbol: plot.rows.length <= 60,
    color: readToken(`plot-${(place % 4) + 1}`),
    lineStyle: { width: place ? 1.5 : 2.5, type: LINE_STYLES[style] },
  };
}

const createDiagonal = (name, low, high, type) => ({
  name,
  type: "line",
  data: [
    [low, low],
    [high, high],
  ],
  color: readToken("plot-4"),
  lineStyle: { width: 1, type },
  ...NO_MARKS,
});

/** A bar for the second column and marks for the next three: one run compared with all runs. */
export function createBarsOptions(plot) {
  const bar = createOutline("plot-fill", "plot-2");
  bar.itemStyle.borderRadius = [2, 2, 0, 0];
  const data = (column) => selectColumn(plot, column);
  return {
    ...createZoomedBars(),
    xAxis: createRowAxis(plot),
    yAxis: createValueAxis(plot),
    series: [
      { name: plot.columns[1], type: "bar", data: data(1), barWidth: "56%", ...bar },
      createMarks(plot.columns[2], data(2), "circle", 5, "plot-3"),
      createMarks(plot.columns[3], data(3), "rect", [14, 3], "plot-1"),
      createMarks(plot.columns[4], data(4), "triangle", 7, "plot-4"),
    ],
  };
}

/**
 * Box plots: the range as a thin bar, the middle half as a box, marks for minimum, median, mean and maximum.
 * The columns: x, minimum, lower quartile, median, upper quartile, maximum, mean.
 */
export function createBoxesOptions(plot) {
  const data = (column) => selectColumn(plot, column);
  const createBase = (stack, column) => ({ type: "bar", stack, data: data(column), ...INVISIBLE });
  const createBar = (stack, low, high) => ({
    type: "bar",
    stack,
    silent: true,
    tooltip: { show: false },
    data: plot.rows.map((row) => row[high] - row[low]),
  });
  const thin = { barWidth: 2, xAxisIndex: 1 };
  const hidden = { type: "category", data: data(0), show: false }; // bars of another width need an axis of their own
  return {
    ...createZoomedBars({ data: [3, 6, 1, 5].map((column) => plot.columns[column]) }, [0, 1]),
    xAxis: [createRowAxis(plot), hidden],
    yAxis: createValueAxis(plot),
    series: [
      { ...createBase("range", 1), ...thin },
      { ...createBar("range", 1, 5), ...thin, color: readToken("edge") },
      { ...createBase("half", 2), barWidth: "56%" },
      { ...createBar("half", 2, 4), barWidth: "56%", ...createOutline("plot-fill", "plot-2") },
      createMarks(plot.columns[3], data(3), "rect", [14, 3], "plot-1"),
      createMarks(plot.columns[6], data(6), "diamond", 7, "plot-3"),
      createMarks(plot.columns[1], data(1), "circle", 4, "plot-4"),
      createMarks(plot.columns[5], data(5), "triangle", 7, "plot-4"),
    ],
  };
}

/** A bar for each row, up or down from 0; the legend names the better system on each side. */
export function createDifferencesOptions(plot) {
  const differences = selectColumn(plot, 1);
  const createSide = (name, isShown, edge, fill) => ({
    name,
    type: "bar",
    stack: "all",
    barWidth: "56%",
    ...createOutline(fill, edge),
    data: differences.map((value) => (isShown(value) ? value : null)),
  });
  const options = createZoomedBars();
  options.tooltip = { trigger: "axis", axisPointer: { type: "shadow" }, formatter: createDifferenceFormatter(plot) };
  return {
    ...options,
    xAxis: { ...createRowAxis(plot), axisLine: { onZero: false } },
    yAxis: createValueAxis(plot),
    series: [
      createSide(plot.positive, (value) => value > 0, "plot-2", "plot-fill"),
      createSide(plot.negative, (value) => value < 0, "plot-3", "sheet"),
    ],
  };
}

const createDifferenceFormatter =
  ({ rows, columns }) =>
  ([{ dataIndex }]) => {
    const [topic, difference, first, second] = rows[dataIndex];
    const lines = [`topic ${topic}`, `difference: ${formatNumber(difference)}`];
    return [...lines, `${columns[2]}: ${formatNumber(first)}`, `${columns[3]}: ${formatNumber(second)}`].join("\n");
  };

/**
 * A point for each row (x, y, name); with `diagonal` also the line on which both are equal. `front` is a column that
 * marks points: they are larger, and a line of steps goes through them in the order of the rows. `groups` is a column
 * whose values have a colour and a symbol each; without it, the points of the front are diamonds.
 */
export function createPointsOptions(plot) {
  const [x, y, name] = plot.columns;
  const formatter = ({ data }) => `${name} ${data[2]}\n${x}: ${formatNumber(data[0])}\n${y}: ${formatNumber(data[1])}`;
  const names = plot.groups ? [...new Set(selectColumn(plot, plot.groups))].toSorted() : [name];
  const isNamed = plot.rows.length <= MAX_NAMED_POINTS;
  const text = { formatter: ({ data }) => data[2], position: "right", color: readToken("ink-2"), fontSize: 12 };
  return {
    grid: { ...ZOOM_FRAME, top: plot.groups ? 56 : 24 },
    legend: { ...LEGEND, type: "scroll", itemWidth: 10, itemHeight: 10, show: Boolean(plot.groups), data: names },
    dataZoom: createZoom(),
    tooltip: { trigger: "item", formatter },
    xAxis: { type: "value", name: plot.x, nameGap: 30, min: plot.from_x, max: plot.to_x },
    yAxis: createValueAxis(plot),
    series: [
      ...(plot.diagonal ? [createEqualLine(plot)] : []),
      ...(plot.front ? [createFront(plot)] : []),
      ...names.map((group, place) => createPoints(plot, group, place, { show: isNamed, ...text })),
    ],
  };
}

/** The points of a group, or all. Four groups have filled symbols and four hollow ones, in the same colours. */
function createPoints({ rows, front, groups }, name, place, label) {
  const isFirst = (row) => Boolean(front && row[front]);
  const color = groups ? `plot-${(place % SYMBOLS.length) + 1}` : "plot-2";
  const isHollow = place >= SYMBOLS.length;
  return {
    name,
    type: "scatter",
    data: groups ? rows.filter((row) => row[groups] === name) : rows,
    symbol: groups ? SYMBOLS[place % SYMBOLS.length] : (row) => (isFirst(row) ? "diamond" : "circle"),
    symbolSize: (row) => (isFirst(row) ? 13 : 8),
    ...(isHollow ? createOutline("sheet", color) : { color: readToken(color) }),
    label,
    labelLayout: { hideOverlap: true },
  };
}

const createFront = ({ rows, columns, front }) => ({
  name: columns[front],
  type: "line",
  step: "end",
  data: rows.filter((row) => row[front]).map(([x, y]) => [x, y]),
  color: readToken("plot-3"),
  lineStyle: { width: 1.5 },
  ...NO_MARKS,
});

/** The diagonal of a plot of points, as far as both axes reach. */
function createEqualLine(plot) {
  const x = selectColumn(plot, 0);
  const y = selectColumn(plot, 1);
  const low = plot.from_x ?? Math.min(...x, ...y);
  const high = plot.to_x ?? Math.min(Math.max(...x), Math.max(...y));
  return createDiagonal("equal", low, high, "dashed");
}

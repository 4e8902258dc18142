// The ECharts options of the plots about pooling and judging. A plot is the JSON in the data-values of its figure.
import { FRAME, NO_MARKS, formatCount } from "./plot_parts.js";
import { readToken } from "./plot_theme.js";

const formatCoefficient = (value) => (value == null ? "" : value.toFixed(3));

/** Return a round number at or above the largest value, as the end of an axis. */
function findTop(values) {
  const largest = Math.max(...values, 1);
  const step = 10 ** Math.floor(Math.log10(largest));
  return Math.ceil(largest / step) * step;
}

/** Return the start of an axis: 0, or the smallest value rounded down to a tenth. */
const findBottom = (values) => Math.min(0, Math.floor(Math.min(...values) * 10) / 10);

/** The pool size at each depth, and the judging hours on the right axis; the chosen depth is marked. */
export function createDepthOptions(plot) {
  return {
    grid: { ...FRAME, right: 70, top: 24 },
    tooltip: { trigger: "axis", valueFormatter: formatCount },
    xAxis: { type: "category", name: "pool depth k", nameGap: 30, data: plot.k },
    yAxis: createDepthAxes(plot),
    series: [
      {
        name: "documents",
        type: "line",
        data: plot.documents,
        symbol: "circle",
        symbolSize: 6,
        lineStyle: { width: 2 },
        markLine: createDepthMark(plot.chosen),
      },
      // ECharts shows the hours axis only if it has a series.
      { type: "line", yAxisIndex: 1, data: plot.documents.map(() => 0), lineStyle: { opacity: 0 }, ...NO_MARKS },
    ],
  };
}

/** The axes of documents on the left and of hours on the right; both have their ticks at the same heights. */
function createDepthAxes(plot) {
  const documents = findTop(plot.documents);
  const hours = (documents * plot.seconds) / 3600;
  const hoursLabel = { formatter: (value) => value.toFixed(hours < 20 ? 1 : 0) };
  return [
    {
      type: "value",
      name: "documents to judge",
      nameGap: 46,
      axisLabel: { formatter: formatCount },
      min: 0,
      max: documents,
      interval: documents / 4,
    },
    {
      type: "value",
      name: `hours at ${plot.seconds} s`,
      nameGap: 40,
      axisLabel: hoursLabel,
      min: 0,
      max: hours,
      interval: hours / 4,
      splitLine: { show: false },
    },
  ];
}

function createDepthMark(depth) {
  const color = readToken("ink");
  const position = { position: "end", distance: 2 };
  return {
    symbol: "none",
    silent: true,
    label: { formatter: `k = ${depth}`, ...position, color, fontSize: 13, fontWeight: 600 },
    lineStyle: { color, type: "solid", width: 1 },
    data: [{ xAxis: depth }],
  };
}

/** A coefficient by topic in ascending order, and the coefficient of all topics as a line. */
export function createDotsOptions({ topic, value, name, overall }) {
  const series = { name, type: "scatter", data: value, symbolSize: 8 };
  return {
    grid: { ...FRAME, top: 24, bottom: 64 },
    tooltip: { trigger: "axis" },
    xAxis: {
      type: "category",
      name: "topic, in order of agreement",
      nameGap: 46,
      data: topic,
      axisLabel: { rotate: 60, hideOverlap: true },
    },
    yAxis: { type: "value", name, nameGap: 40, min: findBottom(value) },
    series: [overall == null ? series : { ...series, markLine: createOverallMark(overall) }],
  };
}

const createOverallMark = (overall) => ({
  symbol: "none",
  silent: true,
  data: [{ yAxis: overall }],
  lineStyle: { color: readToken("plot-3"), type: "dashed", width: 2 },
  label: {
    formatter: `all topics ${overall.toFixed(3)}`,
    position: "insideStartTop",
    color: readToken("ink"),
    fontSize: 13,
  },
});

/** Share of relevant labels and agreement, from one period of judging to the next. */
export function createDriftOptions({ begin, rate, percent, fleiss }) {
  const line = { type: "line", symbolSize: 7 };
  const series = [
    { ...line, name: "relevant, share of labels", data: rate, symbol: "circle" },
    { ...line, name: "percent agreement", data: percent, symbol: "rect", lineStyle: { type: "dashed" } },
    { ...line, name: "Fleiss' kappa", data: fleiss, symbol: "triangle", symbolSize: 8, lineStyle: { type: "dotted" } },
  ];
  const dates = { type: "category", name: "labels given from", nameGap: 30, data: begin };
  return {
    grid: FRAME,
    legend: { top: 0, data: series.map(({ name }) => name) },
    tooltip: { trigger: "axis", valueFormatter: formatCoefficient },
    xAxis: { ...dates, axisLabel: { hideOverlap: true } },
    yAxis: { type: "value", name: "share, coefficient", nameGap: 40, max: 1, min: findBottom([0, ...fleiss]) },
    series,
  };
}

// Parts of ECharts options that several kinds of plot have: axes, zoom, legends, marks.
import { readToken } from "./plot_theme.js";

export const FRAME = { left: 62, right: 24, top: 44, bottom: 52 };
export const ZOOM_FRAME = { ...FRAME, bottom: 88 };
export const LEGEND = { top: 10, left: 56, type: "plain" };
const MARK_LEGEND = { ...LEGEND, itemWidth: 14 };
const HIDDEN = { lineStyle: { opacity: 0 }, areaStyle: { opacity: 0 } };
export const NO_MARKS = { silent: true, symbol: "none", tooltip: { show: false } };
const OVERLAPPING = { fontSize: 12, hideOverlap: true };

export const formatCount = (number) => (number == null ? "" : number.toLocaleString("en-GB"));
export function formatNumber(value) {
  if (typeof value !== "number") return value ?? "";
  return Number.isInteger(value) ? formatCount(value) : value.toFixed(4).replace("-", "−");
}
export const selectColumn = (plot, index) => plot.rows.map((row) => row[index]);

/** Zoom by the slider below the axis, or by the mouse wheel with Shift; without Shift the wheel scrolls the page. */
export const createZoom = (axes = [0]) => [
  { type: "inside", xAxisIndex: axes, zoomOnMouseWheel: "shift", moveOnMouseWheel: false, filterMode: "none" },
  {
    type: "slider",
    xAxisIndex: axes,
    height: 16,
    bottom: 12,
    filterMode: "none",
    showDetail: false,
    brushSelect: false,
    borderColor: readToken("line"),
    fillerColor: readToken("plot-band"),
    handleStyle: { color: readToken("sheet"), borderColor: readToken("edge") },
    moveHandleStyle: { color: readToken("edge") },
    dataBackground: HIDDEN,
    selectedDataBackground: HIDDEN,
  },
];

export const createValueAxis = ({ y, from_y: min, to_y: max }) => ({
  type: "value",
  name: y,
  nameGap: 42,
  min,
  max,
  axisLabel: { formatter: formatCount },
});
export const createRowAxis = (plot) => ({
  type: "category",
  name: plot.x,
  nameGap: 32,
  data: selectColumn(plot, 0),
  axisLabel: OVERLAPPING,
});
export const createMarks = (name, data, symbol, symbolSize, colour) => ({
  name,
  type: "scatter",
  data,
  symbol,
  symbolSize,
  color: readToken(colour),
});
export const createOutline = (fill, edge) => ({
  color: readToken(fill),
  itemStyle: { borderColor: readToken(edge), borderWidth: 1 },
});
export const createZoomedBars = (legend, axes) => ({
  grid: ZOOM_FRAME,
  legend: { ...MARK_LEGEND, ...legend },
  dataZoom: createZoom(axes),
  tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: formatNumber },
});

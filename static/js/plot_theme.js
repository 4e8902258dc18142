// The theme of the plots, from the colour tokens of the stylesheet.
const FONT_SIZE = 13;
const probe = document.createElement("i");
probe.hidden = true;
document.body.append(probe);

/** Return the computed value of a colour token; the browser resolves light-dark() and var(). */
export function readToken(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

export function createTheme() {
  const ink = readToken("ink");
  const secondary = readToken("ink-2");
  const fontFamily = getComputedStyle(document.body).fontFamily;
  const axis = createAxisTheme(secondary, readToken("line"));
  return {
    color: [1, 2, 3, 4].map((number) => readToken(`plot-${number}`)),
    backgroundColor: "transparent",
    textStyle: { fontFamily, color: ink, fontSize: FONT_SIZE },
    legend: {
      textStyle: { color: ink, fontSize: FONT_SIZE },
      itemWidth: 26,
      itemHeight: 8,
      inactiveColor: secondary,
    },
    valueAxis: axis,
    categoryAxis: { ...axis, splitLine: { show: false } },
    tooltip: {
      renderMode: "richText", // HTML would need inline styles, which the content security policy forbids
      backgroundColor: readToken("sheet"),
      borderColor: readToken("edge"),
      borderWidth: 1,
      textStyle: { color: ink, fontSize: FONT_SIZE, fontFamily },
      shadowBlur: 0,
    },
  };
}

const createAxisTheme = (text, line) => ({
  axisLine: { show: true, lineStyle: { color: text } },
  axisTick: { show: false },
  splitLine: { show: true, lineStyle: { color: line } },
  axisLabel: { color: text, fontSize: FONT_SIZE },
  nameTextStyle: { color: text, fontSize: FONT_SIZE },
  nameLocation: "middle",
});

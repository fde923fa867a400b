// Draws time series with uPlot, in the colours of the theme, over the drawing that the server made.
let ready;
function library() {
  ready ??= new Promise((resolve, reject) => {
    const own = new URL(import.meta.url);
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = "/ui/static/uplot.css" + own.search;
    document.head.append(style);
    const script = document.createElement("script");
    script.src = "/ui/static/uplot.js" + own.search;
    script.onload = () => resolve(globalThis.uPlot);
    script.onerror = reject;
    document.head.append(script);
  });
  return ready;
}

const NAMES = ["--accent", "--fail-fill", "--pass-fill", "--unscored-fill", "--ink-2"];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// How times stand below a chart, by the step between them; the second text stands below the first of a day or year.
const YEAR = "\n{YYYY}", DAY = "\n{D} {MMM}";
const TIMES = [
  [31536000, "{YYYY}", null, null, null, null, null, null, 1],
  [2419200, "{MMM}", YEAR, null, null, null, null, null, 1],
  [86400, "{D} {MMM}", YEAR, null, null, null, null, null, 1],
  [60, "{HH}:{mm}", DAY, null, DAY, null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", DAY, null, DAY, null, null, null, 1],
];
const STEPS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 345600, 604800, 1209600, 2592000, 7776000, 15552000, 31536000];
const known = (value) => value != null;
// A point is drawn where there are few, or where a line would not show it.
const pointed = (values) => values.length < 40 || values.some((each, at) => known(each) && !known(values[at - 1]) && !known(values[at + 1]));

export async function draw(place) {
  const held = place.querySelector("script[type='application/json']");
  if (!held) return;
  const given = JSON.parse(held.textContent);
  let Plot;
  try { Plot = await library(); } catch { return; }
  const show = () => {
    place.proctorPlot?.destroy();
    place.querySelector("svg")?.setAttribute("hidden", "");
    const shown = (value) => value == null ? "–" : given.unit === "share" ? (100 * value).toFixed(1) + " %" : given.unit === "money" ? "$" + value.toLocaleString(undefined, { maximumFractionDigits: 4 }) : given.unit === "seconds" ? (value < 1 ? (1000 * value).toFixed(0) + " ms" : value.toFixed(2) + " s") : value.toLocaleString(undefined, { maximumFractionDigits: 2 });
    const short = (value) => given.unit === "share" ? +(100 * value).toFixed(1) + " %" : given.unit === "seconds" ? (value && value < 1 ? +(1000 * value).toFixed(1) + " ms" : +value.toFixed(2) + " s") : shown(value);
    const width = () => Math.max(220, place.clientWidth);
    const axis = { stroke: colour("--ink-3"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, font: "11px system-ui" };
    place.proctorPlot = new Plot({
      width: width(), height: given.height ?? 180, legend: { live: true }, cursor: { y: false },
      scales: given.range ? { y: { range: given.range } } : {},
      hooks: { setCursor: [(plot) => place.classList.toggle("pointed", known(plot.cursor.idx))] },
      series: [{ value: "{D} {MMM} {YYYY}, {HH}:{mm}" }, ...given.series.map((each, at) => ({
        label: each.label, stroke: colour(each.colour ?? NAMES[at % NAMES.length]), width: 1.75, spanGaps: false,
        dash: each.dash, value: (_, value) => shown(value), points: { show: pointed(each.values), size: 5 },
      }))],
      axes: [{ ...axis, values: TIMES, incrs: STEPS, space: 64 }, { ...axis, size: 60, values: (_, ticks) => ticks.map(short) }],
    }, [given.times, ...given.series.map((each) => each.values)], place);
  };
  show();
  new ResizeObserver(() => place.proctorPlot?.setSize({ width: Math.max(220, place.clientWidth), height: given.height ?? 180 })).observe(place);
  addEventListener("proctor-theme", show);
}

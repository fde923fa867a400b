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

export async function draw(place) {
  const held = place.querySelector("script[type='application/json']");
  if (!held) return;
  const given = JSON.parse(held.textContent);
  let Plot;
  try { Plot = await library(); } catch { return; }
  const show = () => {
    place.proctorPlot?.destroy();
    place.querySelector("svg")?.setAttribute("hidden", "");
    const shown = (value) => value == null ? "–" : given.unit === "share" ? (100 * value).toFixed(1) + " %" : value.toLocaleString();
    const axis = { stroke: colour("--ink-3"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, font: "11px system-ui" };
    place.proctorPlot = new Plot({
      width: Math.max(220, place.clientWidth), height: given.height ?? 180, legend: { live: true }, cursor: { y: false },
      scales: given.range ? { y: { range: given.range } } : {},
      series: [{}, ...given.series.map((each, at) => ({
        label: each.label, stroke: colour(each.colour ?? NAMES[at % NAMES.length]), width: 1.75, spanGaps: false,
        dash: each.dash, value: (_, value) => shown(value), points: { show: each.values.length < 40 },
      }))],
      axes: [axis, { ...axis, size: 52, values: (_, ticks) => ticks.map(shown) }],
    }, [given.times, ...given.series.map((each) => each.values)], place);
  };
  show();
  new ResizeObserver(() => place.proctorPlot?.setSize({ width: Math.max(220, place.clientWidth), height: given.height ?? 180 })).observe(place);
  addEventListener("proctor-theme", show);
}

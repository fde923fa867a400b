// Charts as inline SVG in per cent of their width, so that they follow the page without being redrawn.

let patterns = 0;

/** Pass, in doubt, fail and unscored as one bar; below it the pass rate of the judged with its 95 % interval. */
function outcomeBar(group, withRange) {
  const stripes = `stripes-${(patterns += 1)}`;
  const height = withRange ? 26 : 10, thick = withRange ? 13 : 10;
  const doubts = group.doubt || 0;
  const label = `${group.passed} passed${doubts ? `, ${doubts} of them in doubt` : ""}, ${group.failed} failed, ${group.unscored} unscored` +
    (group.rate === null ? "" : `; pass rate ${percent(group.rate)}, 95 % interval ${rangeText(group)}`);
  const bar = svg("svg", { class: "chart", height, role: "img", "aria-label": label });
  bar.append(svg("title", {}, label), svg("defs", {}, svg(
    "pattern", { id: stripes, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 6, height: 6, class: "unscored-fill" }), svg("line", { x1: 0, x2: 0, y1: 0, y2: 6, class: "stripe" }),
  )));
  let from = 0;
  for (const [count, look] of [[group.passed - doubts, "pass-fill"], [doubts, "doubt-fill"], [group.failed, "fail-fill"], [group.unscored, ""]]) {
    if (!count) continue;
    const share = (100 * count) / group.total;
    bar.append(svg("rect", {
      x: `${from}%`, y: 0, width: `${share}%`, height: thick, class: look || null, fill: look ? null : `url(#${stripes})`,
    }));
    from += share;
    if (from < 99.99) bar.append(svg("rect", { x: `${from}%`, y: 0, width: 1, height: thick, fill: "var(--surface)" }));
  }
  if (withRange && group.rate !== null) bar.append(...whisker(group, 20));
  return bar;
}

function whisker(group, y) {
  const [low, high, rate] = [group.low, group.high, group.rate].map((share) => `${share * 100}%`);
  return [
    svg("line", { x1: low, x2: high, y1: y, y2: y, class: "whisker" }),
    ...[low, high].map((end) => svg("line", { x1: end, x2: end, y1: y - 3, y2: y + 3, class: "whisker" })),
    svg("circle", { cx: rate, cy: y, r: 3.5, class: "dot" }),
  ];
}

/** How often each value came, as bars; `lines` are values on the same scale, from 0 to 1. */
function histogram(bins, height, label, lines = [], tip = null) {
  const chart = svg("svg", { class: "chart", height, role: "img", "aria-label": label });
  const top = Math.max(1, ...bins), width = 100 / bins.length;
  bins.forEach((count, place) => {
    // A single one among thousands must still be seen.
    const tall = count ? Math.max(1.5, ((height - 1) * count) / top) : 0;
    const bar = svg("rect", { x: `${place * width + width * 0.06}%`, y: height - tall, width: `${width * 0.88}%`, height: tall, class: "bin" });
    const space = svg("rect", { x: `${place * width}%`, y: 0, width: `${width}%`, height, fill: "transparent" });
    if (tip) space.append(svg("title", {}, tip(place, count)));
    chart.append(bar, space);
  });
  chart.append(svg("line", { x1: 0, x2: "100%", y1: height - 0.5, y2: height - 0.5, class: "axis" }));
  for (const [at, look] of lines) chart.append(svg("line", { x1: `${at * 100}%`, x2: `${at * 100}%`, y1: 0, y2: height, class: look }));
  return chart;
}

/** Labels under a chart at places from 0 to 1. */
function ticks(labels) {
  return el("div", { class: "ticks", "aria-hidden": "true" }, labels.map(([at, text]) =>
    el("span", { style: `left:${at * 100}%`, class: at > 0.97 ? "last" : null }, text)));
}

/** Steps over time, as [seconds, value, why]: how many calls were allowed at once. */
function stepChart(points, duration, height) {
  const end = Math.max(points.at(-1)[0], duration || 0) || 1, top = Math.max(...points.map((point) => point[1])) || 1;
  const across = (at) => (100 * at) / end, up = (value) => 100 - (96 * value) / top;
  let path = `M0 ${up(points[0][1])}`;
  for (const [at, value] of points.slice(1)) path += `H${across(at)}V${up(value)}`;
  const label = `From ${points[0][1]} at the start to ${points.at(-1)[1]} in the end, at most ${top}`;
  const chart = svg("svg", { class: "chart", height, viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": label });
  chart.append(svg("title", {}, label));
  for (const y of [4, 52, 100]) chart.append(svg("line", { x1: 0, x2: 100, y1: y, y2: y, class: "grid", "vector-effect": "non-scaling-stroke" }));
  chart.append(svg("path", { d: `${path}H100`, class: "step" }));
  return el("div", { class: "steps" },
    el("div", { class: "scale", "aria-hidden": "true" }, el("span", {}, grouped(top)), el("span", {}, "0")), chart,
    ticks([[0, "0 s"], [0.5, seconds(end / 2)], [1, seconds(end)]]));
}

/** Round numbers on a logarithmic scale, as [place, label]. */
function logTicks(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const digit of [1, 2, 5]) {
      const value = digit * 10 ** power;
      if (value >= low && value <= high) found.push([Math.log(value / low) / Math.log(high / low), tickSeconds(value)]);
    }
  }
  const kept = [];
  for (const tick of found) if (!kept.length || tick[0] - kept.at(-1)[0] > 0.09) kept.push(tick);
  return kept;
}

function tickSeconds(value) {
  return value < 1 ? `${Number((value * 1000).toPrecision(1))} ms` : `${Number(value.toPrecision(1))} s`;
}

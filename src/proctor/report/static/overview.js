// The upper half of the page: decision, tiles, charts, breakdowns; and the run's own data below the table.

const DECISION_STATE = { passed: "pass", failed: "fail", unjudged: "unscored" };
const FIRST = 10;

function drawOverview(page, table, open) {
  const place = document.getElementById("overview");
  const state = DECISION_STATE[page.run.decision] || "info";
  document.getElementById("bar-run").append(
    outside(page.run.name || page.run.id, "span", { class: "name" }),
    el("span", { class: `chip ${state}` }, sign(state, 12), page.run.word),
  );
  place.append(
    decisionCard(page, state),
    ...page.run.notes.map((note) => outside(note, "p", { class: "notice" })),
    tiles(page, table),
    el("div", { class: "panels" }, targetPanel(page, table), latencyPanel(page)),
    rulesPanel(page, table),
    failuresPanel(page, open),
    ...compliancePanels(page, table),
    ...dimensionPanels(page, table),
    matrixPanel(page, table, open),
    scorerPanel(page, table) || "",
    breakdowns(page, table),
  );
}

function decisionCard(page, state) {
  const run = page.run;
  const facts = [
    ["Suite", run.name], ["Run", run.id], ["Started", run.started], ["Took", run.duration === null ? null : seconds(run.duration)],
    ["Fingerprint", run.mark], ["Status", run.status === "finished" ? null : run.status],
  ];
  return el("div", { class: `decision ${state}` },
    el("div", { class: "decision-line" }, el("h1", {}, el("span", { class: "badge" }, sign(state, 18)), run.word), outside(run.reason, "p", { class: "reason" })),
    el("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value]) =>
      el("div", {}, el("dt", {}, name), outside(value, "dd", { class: name === "Run" || name === "Fingerprint" ? "mono" : "" })))));
}

function tiles(page, table) {
  const { counts, latency } = page;
  const outcome = (label, state, count, more) => el("button",
    { type: "button", class: `tile ${state}`, onclick: () => table.show({ outcome: state }), title: `Show what is ${state === "doubt" ? "in doubt" : state}` },
    el("span", { class: "tile-label" }, sign(state, 12), label), el("span", { class: `tile-value ${count ? "" : "none"}` }, grouped(count)),
    el("span", { class: "tile-more" }, more || (counts.total ? percent(count / counts.total) : NONE)));
  const plain = (label, value, more, words) => el("div", { class: "tile" }, el("span", { class: "tile-label" }, label),
    el("span", { class: `tile-value ${words ? "words" : ""}` }, value), el("span", { class: "tile-more" }, more));
  const judged = counts.passed + counts.failed;
  return el("div", { class: counts.doubt ? "tiles doubts" : "tiles" },
    plain("Pass rate", percent(counts.rate), judged ? `95 % interval ${rangeText(counts)} · of ${grouped(judged)} judged` : "nothing was judged"),
    outcome("Passed", "pass", counts.passed), counts.doubt ? outcome("In doubt", "doubt", counts.doubt, "of those that passed") : "", outcome("Failed", "fail", counts.failed), outcome("Unscored", "unscored", counts.unscored),
    plain("Latency, median", seconds(latency.p50), latency.p95 === undefined ? "not known" : `95th percentile ${seconds(latency.p95)}`),
    plain("Spend", page.spent || NONE, spendByRole(page.spend), /[a-z]/.test(page.spent)));
}

function spendByRole(spend) {
  const roles = new Map();
  for (const each of spend) {
    const role = each.role || "target", before = roles.has(role) ? roles.get(role) : 0;
    // One unknown price makes the role's sum unknown.
    roles.set(role, before === null || each.cost === undefined ? null : before + each.cost);
  }
  return [...roles].map(([role, cost]) => `${role} ${money(cost)}`).join(" · ") || "no model was called";
}

/** A name that narrows the table to its results when pressed. */
function filterButton(name, filter, table) {
  const button = "target" in filter ? el("button", { type: "button", class: "link name outside", title: name, onclick: () => table.show(filter) }, middleCut(name))
    : outside(name, "button", { type: "button", class: "link name", title: name, onclick: () => table.show(filter) });
  table.onChange((now) => button.classList.toggle("on", Object.entries(filter).every(([key, value]) => now[key] === value)));
  return button;
}

function shareRows(groups, key, table, withRange) {
  return groups.map((group) => el("li", { class: "row" }, filterButton(group.name, { [key]: group.name }, table),
    outcomeBar(group, withRange), el("span", { class: "rate" }, percent(group.rate)), el("span", { class: "range" }, rangeText(group))));
}

function targetPanel(page, table) {
  const groups = page.groups.target;
  if (!groups.length) return panel("Outcome by target", null, el("p", { class: "muted" }, "No target was run."));
  const legend = el("div", { class: "legend" }, ["pass", ...(page.counts.doubt ? ["doubt"] : []), "fail", "unscored"].map((state) => stateWord(state, state === "doubt" ? "in doubt" : state)),
    el("span", {}, "●", " pass rate of the judged, 95 % interval"));
  const axis = el("li", { class: "row", "aria-hidden": "true" }, ticks([[0, "0"], [0.25, "25"], [0.5, "50"], [0.75, "75"], [1, "100 %"]]));
  const list = el("ul", { class: "share tall" }, axis);
  return panel("Outcome by target", legend, list, firstFew(groups, (some) => axis.before(...shareRows(some, "target", table, true))));
}

/** By intent and by tag, side by side; what no case has is left out. */
function breakdowns(page, table) {
  const made = [["By intent", "intent"], ["By tag", "tag"]].filter(([, key]) => page.groups[key].length)
    .map(([title, key]) => sharePanel(title, page.groups[key], key, table));
  if (made.length === 1) made[0].classList.add("wide");
  return made.length ? el("div", { class: "panels" }, made) : "";
}

function sharePanel(title, all, key, table) {
  // Trouble first: the lowest pass rate on top, and of equals the one with more results.
  const groups = [...all].sort((a, b) => (a.rate ?? 2) - (b.rate ?? 2) || b.total - a.total);
  const list = el("ul", { class: "share" });
  return panel(title, "lowest pass rate first; press a name to filter", list, firstFew(groups, (some) => list.append(...shareRows(some, key, table, false))));
}

/** Draw the first few; give back a button for the rest, if there are more. */
function firstFew(groups, draw) {
  draw(groups.slice(0, FIRST));
  if (groups.length <= FIRST) return "";
  return el("button", { type: "button", class: "link more", onclick: (event) => {
    draw(groups.slice(FIRST));
    event.currentTarget.remove();
  } }, `Show all ${grouped(groups.length)}`);
}

function latencyPanel(page) {
  const data = page.latencies;
  if (!data) return panel("Latency", null, el("p", { class: "muted" }, "No latency was measured."));
  const low = data.edges[0], high = data.edges.at(-1);
  const at = (value) => Math.max(0, Math.min(1, Math.log(Math.max(value, low) / low) / Math.log(high / low)));
  const rows = data.rows.slice(0, 8).flatMap((row) => [
    el("span", { class: "name", title: row.name }, middleCut(row.name)),
    histogram(row.bins, 44, `Latency of ${row.name}: median ${seconds(row.p50)}, 95th percentile ${seconds(row.p95)}`,
      [[at(row.p50), "mark"], [at(row.p95), "threshold"]],
      (place, count) => `${many(count, "result")} from ${seconds(data.edges[place])} to ${seconds(data.edges[place + 1])}`),
    el("span", { class: "small" }, "p50 ", el("b", {}, seconds(row.p50)), el("br"), "p95 ", el("b", {}, seconds(row.p95)),
      row.first === null ? "" : [el("br"), el("span", { title: "until the first words of a turn, median" }, "first ", el("b", {}, seconds(row.first)))]),
  ]);
  const hint = data.rows.length > 8 ? `first 8 of ${data.rows.length} targets` : "logarithmic scale; dashed: p95";
  return panel("Latency", hint, el("div", { class: "latencies" }, rows, ticks(logTicks(low, high))));
}

function scorerPanel(page, table) {
  if (!page.groups.scorer.length) return null;
  return panel("Scores", "distribution from 0 to 1; dashed: threshold; press a name for what failed",
    el("div", { class: "scorers" }, page.groups.scorer.map((group) => scorerCard(group, table))));
}

function scorerCard(group, table) {
  const [low, high] = group.threshold || [];
  const facts = [`n ${grouped(group.n)}`];
  if (group.threshold) facts.push(low === high ? `threshold ${low}` : `thresholds ${low}–${high}`);
  else facts.push("informs only");
  if (group.skipped) facts.push(`${grouped(group.skipped)} skipped`);
  const lines = group.threshold ? [...new Set([low, high])].map((at) => [at, "threshold"]) : [];
  const label = `${group.name}: mean ${decimals(group.mean)} over ${group.n}, ${group.doubt ? `${group.doubt} passed in doubt, ` : ""}${group.failed} failed, ${group.unscored} not judged`;
  return el("div", { class: "scorer" },
    el("div", { class: "scorer-head" }, filterButton(group.name, { scorer: group.name }, table), el("span", {}, el("span", { class: "small muted" }, "mean "), el("b", {}, decimals(group.mean)))),
    histogram(group.histogram.length ? group.histogram : [0], 42, label, lines,
      (place, count) => `${grouped(count)} from ${(place / 10).toFixed(1)} to ${((place + 1) / 10).toFixed(1)}`),
    el("div", { class: "ends", "aria-hidden": "true" }, el("span", {}, "0"), el("span", {}, "1")),
    el("div", { class: "facts-line" }, facts.join(" · "),
      group.doubt ? [" · ", el("span", { class: "doubt" }, `${grouped(group.doubt)} in doubt`)] : "",
      group.failed ? [" · ", el("span", { class: "fail" }, `${grouped(group.failed)} failed`)] : "",
      group.unscored ? ` · ${grouped(group.unscored)} not judged` : ""));
}

function drawRun(page) {
  const place = document.getElementById("run");
  const history = page.concurrency.length
    ? panel("Calls allowed at once", "adapted to what the service takes", page.concurrency.slice(0, 6).flatMap((series) => [
      outside(series.model, "p", { class: "small muted" }), stepChart(series.points, page.run.duration, page.concurrency.length > 1 ? 60 : 96)])) : null;
  place.append(el("div", { class: "panels" }, page.spend.length ? spendPanel(page) : "", history, aboutPanel(page, !history)));
}

function spendPanel(page) {
  const numbers = ["Calls", "Cached", "Retries", "Errors", "Tokens in", "Tokens out", "Cost"];
  const head = el("tr", {}, el("th", {}, "Role"), el("th", {}, "Model"), numbers.map((name) => el("th", { class: "number" }, name)));
  const row = (each) => el("tr", {}, outside(each.role || "target", "td"), outside(each.model, "td", { class: "model" }),
    [each.calls, each.cached, each.retries, each.errors, each.usage?.input, each.usage?.output].map((count) => el("td", { class: "number" }, grouped(count || 0))),
    el("td", { class: "number" }, money(each.cost)));
  const made = panel("Spend", page.spent, el("div", { class: "small-table", tabindex: 0, role: "region", "aria-label": "Spend" },
    el("table", {}, el("thead", {}, head), el("tbody", {}, page.spend.map(row)))));
  made.classList.add("wide");
  return made;
}

function aboutPanel(page, wide) {
  const made = panel("What was run", `fingerprint ${page.run.mark}`, el("div", { class: "trees" },
    tree(page.run.fingerprint), Object.keys(page.run.settings).length ? tree(page.run.settings) : ""));
  if (wide) made.classList.add("wide");
  return made;
}

/** Nested data as a list of names and values. */
function tree(data) {
  return el("dl", { class: "tree" }, Object.entries(data).flatMap(([name, value]) => [
    outside(name, "dt"),
    el("dd", {}, value !== null && typeof value === "object" && !Array.isArray(value) ? tree(value)
      : passage(typeof value === "object" ? JSON.stringify(value) : value, "span", { class: /^[0-9a-f]{8,}$/.test(value) ? "mono" : "" })),
  ]));
}

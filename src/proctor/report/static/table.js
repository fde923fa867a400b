// The results: searched, filtered, sorted and paged, so that thousands of rows cost as little as a hundred.

const PAGE = 100;
const OUTCOME_ORDER = { fail: 0, unscored: 1, doubt: 2, pass: 3 };
const NOTHING = { text: "", outcome: "", target: "", intent: "", tag: "", scorer: "", rule: "" };
const UNSEARCHED = new Set(["role", "status", "state", "producer", "version", "started", "time", "outcome"]);

const COLUMNS = [
  { key: "outcome", title: "Outcome", of: (row) => OUTCOME_ORDER[row.doubt ? "doubt" : row.outcome] },
  { key: "case", title: "Case", of: (row) => row.case },
  { key: "target", title: "Target", of: (row) => row.target },
  { key: "intent", title: "Intent", of: (row) => row.intent },
  { key: "scores", title: "Scores" },
  { key: "value", title: "Value", number: true, of: (row) => row.value },
  { key: "latency", title: "Latency", number: true, of: (row) => row.latency },
  { key: "cost", title: "Cost", number: true, of: (row) => row.cost },
];

class ResultsTable {
  constructor(page, open) {
    this.page = page;
    this.open = open;
    this.filter = { ...NOTHING };
    this.sort = { key: "outcome", down: false };
    this.at = 0;
    this.listeners = [];
    this.scorers = page.groups.scorer.map((group) => group.name);
  }

  onChange(listener) { this.listeners.push(listener); }

  /** Narrow to a filter, asked for from elsewhere on the page; asked for twice, it is lifted. */
  show(filter) {
    const same = Object.entries(filter).every(([key, value]) => this.filter[key] === value);
    this.change(same ? Object.fromEntries(Object.keys(filter).map((key) => [key, ""])) : filter);
    document.getElementById("results").scrollIntoView({ block: "start" });
  }

  change(filter) {
    this.filter = { ...this.filter, ...filter };
    this.at = 0;
    this.apply();
  }

  draw() {
    const place = document.getElementById("results");
    this.count = el("span", { class: "count", role: "status" });
    this.clear = el("button", { type: "button", class: "plain", onclick: () => this.change(NOTHING) }, "Clear filters");
    this.body = el("tbody", { onclick: (event) => this.pressed(event), onkeydown: (event) => this.typed(event) });
    this.heads = COLUMNS.map((column) => this.head(column));
    const table = el("table", { class: "rows", "aria-label": "Results" }, el("thead", {}, el("tr", {}, this.heads)), this.body);
    this.wrap = el("div", { class: "table-wrap" }, table);
    this.empty = el("div", { class: "empty" });
    this.pager = el("div", { class: "pager" });
    place.append(this.coverage() || "", el("div", { class: "results" },
      el("div", { class: "results-head" }, el("h2", { id: "results-title" }, "Results"), this.count, this.clear),
      this.filters(), this.wrap, this.empty, this.pager));
    this.apply();
  }

  /** Say plainly when the page does not hold every result. */
  coverage() {
    const { rows, total, run } = this.page;
    if (rows.length >= total) return null;
    return el("p", { class: "notice", id: "coverage" }, el("strong", {}, `${grouped(rows.length)} of ${grouped(total)} results are on this page`),
      ": those that did not pass or are in doubt first, then the others in order. The figures and charts above cover all of them. For every result: ",
      el("code", {}, `proctor export ${run.id} -o results.jsonl`), " or ", el("code", {}, "-o results.csv"), ".");
  }

  filters() {
    const search = el("input", { type: "search", placeholder: "Search cases, conversations, reasons", "aria-label": "Search",
      oninput: () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.change({ text: search.value }), 120); } });
    const groups = this.page.groups, counts = this.page.rows.reduce((sum, row) => { sum[row.outcome] += 1; sum.doubt += row.doubt; return sum; }, { pass: 0, fail: 0, unscored: 0, doubt: 0 });
    const segments = [["", "All", this.page.rows.length], ["fail", "Fail", counts.fail], ["unscored", "Unscored", counts.unscored], ["pass", "Pass", counts.pass], ...(counts.doubt ? [["doubt", "In doubt", counts.doubt]] : [])]
      .map(([value, word, count]) => el("button", { type: "button", class: value, "data-outcome": value, onclick: () => this.change({ outcome: value }) },
        value && sign(value, 12), word, el("span", { class: "muted" }, grouped(count))));
    const selects = [["target", "All targets"], ["intent", "All intents"], ["tag", "All tags"], ["scorer", "Any score"]]
      .filter(([key]) => groups[key].length > 1 || (key === "scorer" && groups[key].length)).map(([key, all]) => this.select(key, all));
    const byRule = el("button", { type: "button", class: "chip rule-filter", title: "Lift this filter", onclick: () => this.change({ rule: "" }) });
    this.onChange((now) => {
      if (search.value !== now.text) search.value = now.text;
      const rule = now.rule && this.page.rules?.rows.find((each) => each.rule === now.rule);
      byRule.hidden = !rule;
      if (rule) byRule.replaceChildren(el("span", {}, "Rule: "), outside(rule.text, "span", { class: "rule-text" }), sign("close", 10));
      for (const button of segments) button.setAttribute("aria-pressed", String(button.dataset.outcome === now.outcome));
    });
    return el("div", { class: "filters", role: "search" }, search, el("div", { class: "segments", role: "group", "aria-label": "Outcome" }, segments), selects, byRule);
  }

  select(key, all) {
    const made = el("select", { "aria-label": all, "data-filter": key, onchange: () => this.change({ [key]: made.value }) }, el("option", { value: "" }, all),
      this.page.groups[key].map((group) => el("option", { value: group.name }, key === "scorer" ? `Failed: ${group.name}` : group.name)));
    this.onChange((now) => { made.value = now[key]; made.classList.toggle("on", now[key] !== ""); });
    return made;
  }

  head(column) {
    const attributes = { scope: "col", class: column.number ? "number" : null };
    if (!column.of) return el("th", attributes, column.title);
    const arrow = el("span", { class: "arrow", "aria-hidden": "true" });
    return el("th", attributes, el("button", { type: "button", "data-sort": column.key, onclick: () => this.sortBy(column) }, column.title, arrow));
  }

  sortBy(column) {
    const again = this.sort.key === column.key;
    // Figures are most often wanted largest first, words from A on.
    this.sort = { key: column.key, down: again ? !this.sort.down : Boolean(column.number) };
    this.at = 0;
    this.apply();
  }

  apply() {
    const column = COLUMNS.find((each) => each.key === this.sort.key), turn = this.sort.down ? -1 : 1;
    this.found = this.page.rows.filter((row) => this.keeps(row)).sort((a, b) => {
      const one = column.of(a), other = column.of(b);
      const missing = (one === null || one === undefined) - (other === null || other === undefined);
      return missing || (one < other ? -turn : one > other ? turn : a.n - b.n);
    });
    COLUMNS.forEach((each, place) => {
      const on = each.key === this.sort.key;
      if (!each.of) return;
      this.heads[place].setAttribute("aria-sort", on ? (this.sort.down ? "descending" : "ascending") : "none");
      this.heads[place].querySelector(".arrow").textContent = on ? (this.sort.down ? "↓" : "↑") : "";
    });
    this.drawRows();
    for (const listener of this.listeners) listener(this.filter);
  }

  keeps(row) {
    const { text, outcome, target, intent, tag, scorer, rule } = this.filter;
    return (!outcome || (outcome === "doubt" ? row.doubt : row.outcome === outcome)) && (!target || row.target === target) && (!intent || row.intent === intent) &&
      (!tag || row.tags.includes(tag)) && (!rule || this.isOfRule(row, rule)) && (!scorer || row.scores.some(([name, , state]) => name === scorer && state === "fail")) &&
      (!text.trim() || text.toLowerCase().trim().split(/\s+/).every((word) => this.hay(row).includes(word)));
  }

  /** What broke the rule; for a rule that nothing broke, every result it was judged in. */
  isOfRule(row, rule) {
    if (this.brokenRules === undefined) {
      this.brokenRules = new Set(this.page.rows.flatMap((each) => Object.entries(each.rules).filter(([, state]) => state === "err").map(([name]) => name)));
    }
    return this.brokenRules.has(rule) ? row.rules[rule] === "err" : rule in row.rules;
  }

  /** All words of a result, gathered at the first search. */
  hay(row) {
    if (row.hay === undefined) {
      const words = [row.case, row.target, row.intent || "", row.tags.join(" "), row.why];
      gatherWords(detailOf(row), words);
      row.hay = words.join("\n").toLowerCase();
    }
    return row.hay;
  }

  drawRows() {
    const from = this.at * PAGE, shown = this.found.slice(from, from + PAGE), all = this.page.rows.length;
    this.body.replaceChildren(...shown.map((row, place) => this.row(row, place === 0)));
    this.count.textContent = this.found.length === all ? many(all, "result") : `${grouped(this.found.length)} of ${grouped(all)}`;
    this.clear.hidden = Object.values(this.filter).every((value) => value === "");
    this.wrap.hidden = !shown.length;
    this.empty.hidden = shown.length > 0;
    this.empty.textContent = all ? "No result fits these filters." : "This run has no results.";
    const pages = Math.ceil(this.found.length / PAGE);
    this.pager.hidden = pages < 2;
    const step = (word, by) => el("button", { type: "button", class: "plain", disabled: this.at + by < 0 || this.at + by >= pages, onclick: () => { this.at += by; this.drawRows(); this.pager.querySelector(":enabled")?.focus(); } }, word);
    this.pager.replaceChildren(el("span", {}, `${grouped(from + 1)}–${grouped(from + shown.length)} of ${grouped(this.found.length)}`), el("div", {}, step("Previous", -1), step("Next", 1)));
  }

  row(row, first) {
    const cell = (key, ...inside) => el("td", { class: `${key} ${COLUMNS.find((each) => each.key === key).number ? "number" : ""}` }, ...inside);
    return el("tr", { class: row.doubt ? `${row.outcome} doubt` : row.outcome, tabindex: first ? 0 : -1, "data-n": row.n },
      cell("outcome", row.doubt ? stateWord("doubt", "in doubt") : stateWord(row.outcome)),
      cell("case", outside(row.sample ? `${row.case} #${row.sample}` : row.case, "div", { class: "case-id" }), outside(row.question, "div", { class: "question" }),
        row.why ? outside(row.why, "div", { class: "why" }) : ""),
      el("td", { class: "target short", title: row.target }, middleCut(row.target)), outside(row.intent || NONE, "td", { class: "intent short" }),
      cell("scores", this.cells(row)), cell("value", decimals(row.value)), cell("latency", seconds(row.latency)), cell("cost", row.cost === null ? NONE : money(row.cost)));
  }

  /** One small bar for each scorer, in the order of the overview. */
  cells(row) {
    const by = new Map(row.scores.map((score) => [score[0], score]));
    const said = row.scores.map(([name, value, state]) => `${name} ${value === null ? STATE_WORDS[state] : decimals(value)}${{ fail: " failed", doubt: " in doubt" }[state] || ""}`).join(", ");
    return el("span", { class: "cells", role: "img", "aria-label": said, title: said.replaceAll(", ", "\n") },
      this.scorers.slice(0, 12).map((name) => scoreCell(by.get(name))));
  }

  rowOf(event) { return event.target.closest("tr"); }

  pressed(event) {
    const row = this.rowOf(event);
    // Selecting words in a row is not opening it.
    if (row && !String(getSelection())) this.openRow(row);
  }

  typed(event) {
    const row = this.rowOf(event);
    if (!row) return;
    const moves = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling, Home: this.body.firstElementChild, End: this.body.lastElementChild };
    if (event.key === "Enter" || event.key === " ") this.openRow(row);
    else if (event.key in moves) this.focus(moves[event.key]);
    else return;
    event.preventDefault();
  }

  openRow(row) {
    this.focus(row);
    this.open(Number(row.dataset.n));
  }

  /** One row at a time is a stop of the tab key; the arrows move between them. */
  focus(row) {
    if (!row) return;
    for (const each of this.body.querySelectorAll('tr[tabindex="0"]')) each.tabIndex = -1;
    row.tabIndex = 0;
    row.focus();
  }

  /** Bring a result into sight in the table and give it the focus. */
  reveal(n) {
    const place = this.found.findIndex((row) => row.n === n);
    if (place < 0) return;
    if (Math.floor(place / PAGE) !== this.at) { this.at = Math.floor(place / PAGE); this.drawRows(); }
    this.focus(this.body.querySelector(`tr[data-n="${n}"]`));
  }
}

function scoreCell(score) {
  const state = score ? score[2] : "skipped", value = score ? score[1] : null;
  const cell = svg("svg", { width: 9, height: 18, class: state });
  if (!score) return cell.append(svg("circle", { cx: 4.5, cy: 16, r: 1, fill: "var(--line-strong)" })), cell;
  cell.append(svg("rect", { x: 0.75, y: 0.75, width: 7.5, height: 16.5, rx: 1.5, class: "cell-frame" }));
  if (value !== null) cell.append(svg("rect", { x: 0.75, y: 17.25 - 16.5 * value, width: 7.5, height: 16.5 * value, rx: 1.5, class: "cell-fill" }));
  if (state === "fail") cell.append(svg("path", { d: "M2.2 6.7l4.6 4.6M6.8 6.7l-4.6 4.6", stroke: "var(--fail)", "stroke-width": 1.4 }));
  if (state === "error") cell.append(svg("path", { d: "M1 16.5L8 9.5M1 11L8 4M2 5L6 1", class: "cell-line" }));
  if (state === "skipped") cell.append(svg("path", { d: "M2.5 9h4", class: "cell-line" }));
  return cell;
}

function gatherWords(value, words) {
  if (typeof value === "string" || typeof value === "number") words.push(value);
  else if (Array.isArray(value)) for (const item of value) gatherWords(item, words);
  else if (value) for (const [key, item] of Object.entries(value)) if (!UNSEARCHED.has(key)) gatherWords(item, words);
}

/** A result's details, read when they are first wanted. */
function detailOf(row) {
  return JSON.parse(document.getElementById(`r${row.n}`).textContent);
}

// Rules by targets, the most broken first; a rule narrows the results to what broke it, and lists its failures.

const RULES_FIRST = 30;
const FAILURES_SHOWN = 8;

function rulesPanel(page, table) {
  const shown = page.rules;
  if (!shown) return "";
  const several = shown.targets.length > 1;
  const body = el("tbody");
  const more = el("div", { class: "matrix-more" });
  const draw = (limit) => {
    body.replaceChildren(...shown.rows.slice(0, limit).map((rule) => ruleRow(rule, shown, table)));
    more.replaceChildren(shown.rows.length > limit ? el("button", { type: "button", class: "link more", onclick: () => draw(shown.rows.length) },
      `Show all ${many(shown.rows.length, "rule")}`) : "");
  };
  draw(RULES_FIRST);
  const heads = shown.targets.map((name) => el("th", { scope: "col" }, several ? filterButton(name, { target: name }, table) : "Kept"));
  const gaps = shown.rows.filter((rule) => !rule.covered).length;
  const hint = `share of the judged answers that keep the rule, most broken first; press a rule or a figure for its results${gaps ? `; ${grouped(gaps)} of ${many(shown.rows.length, "rule")} have no test of their own` : ""}`;
  const made = panel(several ? "Rules by target" : "Rules", hint,
    el("div", { class: "small-table", tabindex: 0, role: "region", "aria-label": "Rules by target" },
      el("table", { class: "matrix rule-matrix" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Rule"), heads)), body)), more);
  made.classList.add("wide");
  made.id = "rules";
  return made;
}

function ruleRow(rule, shown, table) {
  const button = ruleButton(rule.text, { rule: rule.rule, target: "" }, table);
  return el("tr", {}, el("th", { scope: "row" }, button, ruleFacts(rule)),
    rule.cells.map((cell, place) => el("td", { "data-name": shown.targets[place] }, cell ? ruleCell(rule, cell, shown, place, table) : el("span", { class: "muted" }, NONE))));
}

/** How the rule is checked: its predicate in full, or who judges it. */
function ruleFacts(rule) {
  const judged = rule.judges.length ? `judged by ${rule.judges.join(", ")}` : rule.predicate ? "" : "judged by nobody";
  return el("div", { class: "rule-facts" }, rule.predicate ? outside(rule.predicate, "code", { class: "predicate" }) : "",
    judged ? el("span", {}, judged) : "", rule.covered ? el("span", {}, many(rule.covered, "test"), " of its own") : el("span", { class: "unscored state" }, "no test of its own"));
}

function ruleButton(text, filter, table) {
  const button = outside(text, "button", { type: "button", class: "link rule-name", onclick: () => table.show(filter) });
  table.onChange((now) => button.classList.toggle("on", now.rule === filter.rule && (!filter.target || now.target === filter.target)));
  return button;
}

/** The share kept, shaded by how much is broken: 98 % is not as red as 0 %. */
function ruleCell(rule, cell, shown, place, table) {
  const judged = cell.ok + cell.err, target = shown.targets[place];
  const facts = [`${target}: kept by ${grouped(cell.ok)} of ${many(judged, "judged answer")}`];
  if (cell.low !== null) facts.push(`95 % interval ${rangeText(cell)}`);
  if (shown.repeat > 1 && cell.steady !== null) facts.push(`pass^${shown.repeat} ${percent(cell.steady)}`);
  if (cell.unknown) facts.push(`${grouped(cell.unknown)} not judged`);
  if (cell.na) facts.push(`${grouped(cell.na)} where it does not apply`);
  const state = cell.err ? "fail" : judged ? "pass" : "unscored";
  return el("button", { type: "button", class: `link rule-cell ${state}`, style: `--broken: ${judged ? Math.round(100 * cell.err / judged) : 0}%`,
    title: facts.join("\n"), "aria-label": facts.join(", "), onclick: () => table.show({ rule: rule.rule, target }) },
    sign(state, 12), el("b", {}, judged ? percent(cell.rate) : NONE),
    el("span", { class: "muted" }, judged ? `${grouped(cell.ok)}/${grouped(judged)}` : "", cell.unknown ? ` +${grouped(cell.unknown)} ?` : ""));
}

/** What broke each rule, rule by rule, so that the same failure does not stand there ten times. */
function failuresPanel(page, open) {
  if (!page.rules) return "";
  const groups = page.rules.rows.map((rule) => ({ rule, rows: page.rows.filter((row) => row.rules[rule.rule] === "err") })).filter((group) => group.rows.length);
  if (!groups.length) return "";
  const made = panel("Failures by rule", "of the results on this page; a result that breaks two rules stands under both",
    groups.map((group, place) => {
      const part = el("details", { class: "fold failures" }, el("summary", {}, outside(group.rule.text), el("span", { class: "chip fail" }, many(group.rows.length, "result"))));
      if (place < 3) part.open = true;
      const list = el("ul", { class: "failure-list" });
      const draw = (limit) => list.replaceChildren(...group.rows.slice(0, limit).map((row) => failureRow(row, open)),
        group.rows.length > limit ? el("li", {}, el("button", { type: "button", class: "link more", onclick: () => draw(group.rows.length) }, `Show all ${grouped(group.rows.length)}`)) : "");
      draw(FAILURES_SHOWN);
      part.append(list);
      return part;
    }));
  made.classList.add("wide");
  made.id = "failures";
  return made;
}

function failureRow(row, open) {
  return el("li", {}, el("button", { type: "button", class: "link failure", onclick: () => open(row.n) },
    outside(row.question || row.case, "span", { class: "question" }), el("span", { class: "muted small" }, outside(row.case), " · ", middleCut(row.target))));
}

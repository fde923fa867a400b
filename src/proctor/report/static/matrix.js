// Cases by targets: who passed what, and the answers of one case side by side.

const MATRIX_ROWS = 50;

function matrixPanel(page, table, open) {
  const targets = page.groups.target.map((group) => group.name);
  if (targets.length < 2 || !page.rows.length) return "";
  const cases = matrixCases(page.rows, targets);
  const split = cases.filter((each) => each.differs).length;
  const body = el("tbody");
  const more = el("div", { class: "matrix-more" });
  const only = el("input", { type: "checkbox", id: "only-differing", onchange: () => draw(MATRIX_ROWS) });
  only.checked = split > 0 && split < cases.length;
  const draw = (limit) => {
    const chosen = only.checked ? cases.filter((each) => each.differs) : cases;
    body.replaceChildren(...chosen.slice(0, limit).map((each) => matrixRow(each, targets, open)));
    more.replaceChildren(chosen.length > limit ? el("button", { type: "button", class: "link more", onclick: () => draw(limit + 500) },
      `Show more of ${many(chosen.length, "case")}`) : chosen.length ? "" : el("p", { class: "muted" }, "The targets agree in every case."));
  };
  draw(MATRIX_ROWS);
  const heads = targets.map((name) => el("th", { scope: "col" }, filterButton(name, { target: name }, table)));
  const hint = page.rows.length < page.total ? "of the results on this page; – is not on it" : "press a sign for the result, a case for all its answers";
  const made = panel("Cases by target", hint,
    el("div", { class: "matrix-tools" }, el("label", { for: "only-differing" }, only, `Only where targets differ (${grouped(split)} of ${many(cases.length, "case")})`)),
    el("div", { class: "small-table", tabindex: 0, role: "region", "aria-label": "Cases by target" },
      el("table", { class: "matrix" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Case"), heads)), body)), more);
  made.classList.add("wide");
  made.id = "matrix";
  return made;
}

/** The results of each case by target; those on which targets disagree first, then those that most fail. */
function matrixCases(rows, targets) {
  const found = new Map();
  for (const row of rows) {
    if (!found.has(row.case)) found.set(row.case, { name: row.case, question: row.question, by: new Map() });
    const by = found.get(row.case).by;
    if (!by.has(row.target)) by.set(row.target, []);
    by.get(row.target).push(row);
  }
  const made = [...found.values()];
  for (const each of made) {
    each.cells = targets.map((target) => matrixCell(each.by.get(target)));
    const states = new Set(each.cells.filter(Boolean).map((cell) => cell.state));
    each.differs = states.size > 1;
    each.failed = each.cells.filter((cell) => cell && cell.state === "fail").length;
  }
  return made.sort((a, b) => b.differs - a.differs || b.failed - a.failed || (a.name < b.name ? -1 : 1));
}

/** One target's results of a case: one sample stands for all, a failed one if there is any. */
function matrixCell(rows) {
  if (!rows) return null;
  const passed = rows.filter((row) => row.outcome === "pass").length, failed = rows.filter((row) => row.outcome === "fail").length;
  const row = rows.find((each) => each.outcome === "fail") || rows.find((each) => each.outcome === "unscored") || rows[0];
  const values = rows.map((each) => each.value).filter((value) => value !== null);
  return { row, state: failed ? "fail" : passed === rows.length ? "pass" : "unscored", samples: rows.length, passed,
    value: values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null };
}

function matrixRow(each, targets, open) {
  const button = outside(each.name, "button", { type: "button", class: "link case-id", "aria-expanded": "false", onclick: () => unfold() });
  const row = el("tr", {}, el("th", { scope: "row" }, button, outside(each.question, "div", { class: "question" })),
    each.cells.map((cell, place) => el("td", { "data-name": targets[place] }, cell ? matrixSign(cell, targets[place], open) : el("span", { class: "muted" }, NONE))));
  const unfold = () => {
    const after = row.nextElementSibling;
    if (after && after.classList.contains("answers")) { after.remove(); button.setAttribute("aria-expanded", "false"); return; }
    button.setAttribute("aria-expanded", "true");
    row.after(el("tr", { class: "answers" }, el("td", { colspan: targets.length + 1 },
      el("div", { class: "answer-grid" }, each.cells.map((cell, place) => cell && answerOf(cell, targets[place]))))));
  };
  return row;
}

function matrixSign(cell, target, open) {
  const count = cell.samples > 1 ? ` ${cell.passed}/${cell.samples}` : "";
  const label = `${target}: ${cell.state}${count}${cell.value === null ? "" : `, ${decimals(cell.value)}`}`;
  return el("button", { type: "button", class: `link state ${cell.state}`, title: label, "aria-label": label, onclick: () => open(cell.row.n) },
    sign(cell.state), el("span", {}, cell.value === null ? "" : decimals(cell.value), count));
}

/** The answers of one target, turn by turn. */
function answerOf(cell, target) {
  const run = detailOf(cell.row).trajectory || {};
  const said = (run.turns || []).map((turn) => (turn.messages || []).filter((message) => message.role === "assistant").map((message) => message.content).join("\n"));
  return el("div", { class: `answer ${cell.state}` }, el("h3", {}, outside(target), " ", stateWord(cell.state)),
    run.error ? outside(run.error, "p", { class: "muted" }) : "", said.map((text) => passage(text || "an empty answer", "div", { class: "text" }, 1200)));
}

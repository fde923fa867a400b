// Dimensions by intent: a table whose cells say how good the answers were, the lowest of each column marked.

function dimensionPanels(page, table) {
  return page.dimensions.map((grid) => dimensionPanel(grid, table));
}

function dimensionPanel(grid, table) {
  const head = el("tr", {}, el("th", {}, "Intent"), el("th", { class: "number" }, "Cases"),
    grid.dimensions.map((name) => el("th", { class: "number" }, worded(name))));
  const row = (each) => el("tr", {},
    el("td", {}, each.intent === null ? "All" : filterButton(each.intent, { intent: each.intent }, table)),
    el("td", { class: "number", "data-name": "Cases" }, grouped(Math.max(0, ...each.cells.map((cell) => (cell ? cell.cases + cell.unscored : 0))))),
    each.cells.map((cell, place) => dimensionCell(cell, grid.dimensions[place], each.intent !== null && isLowest(grid, place, cell))));
  const rows = grid.rows.filter((each) => each.intent !== null), all = grid.rows.filter((each) => each.intent === null);
  const made = panel(grid.target ? `Dimensions by intent: ${grid.target}` : "Dimensions by intent",
    "mean from 0 to 1; the lowest of each column is marked; press an intent to filter",
    el("div", { class: "small-table", tabindex: 0, role: "region", "aria-label": "Dimensions by intent" },
      el("table", { class: "grid" }, el("thead", {}, head), el("tbody", {}, rows.map(row)), el("tfoot", {}, all.map(row)))));
  made.classList.add("wide");
  return made;
}

function dimensionCell(cell, name, lowest) {
  if (!cell || cell.mean === null) return el("td", { class: "number muted", "data-name": worded(name), title: cell ? "not scored" : "does not apply" }, NONE);
  const left = cell.unscored ? `, ${grouped(cell.unscored)} unscored` : "";
  return el("td", { class: `number ${lowest ? "lowest" : ""}`, "data-name": worded(name), title: `${worded(name)}: mean of ${many(cell.cases, "case")}${left}` },
    name === "pass_rate" ? percent(cell.mean) : decimals(cell.mean), cell.unscored ? el("span", { class: "muted" }, " *") : "");
}

function isLowest(grid, place, cell) {
  const means = grid.rows.filter((row) => row.intent !== null && row.cells[place] && row.cells[place].mean !== null)
    .map((row) => row.cells[place].mean);
  return means.length > 1 && cell && cell.mean === Math.min(...means) && cell.mean < Math.max(...means);
}

function worded(name) {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

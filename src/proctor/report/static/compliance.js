// How far a prompt's rules are kept: by model and scenario, by rule, and which tests or cases waver.

const WORDY = ["Judged by", "Rules that wavered"];
const FLAKY = 8;

function compliancePanels(page, table) {
  return page.overview.map((shown) => compliancePanel(shown, table));
}

function compliancePanel(shown, table) {
  const wordy = shown.heads.map((head, place) => place < shown.names || WORDY.includes(head));
  const head = el("tr", {}, shown.heads.map((name, place) => outside(name, "th", { class: wordy[place] ? "" : "number" })));
  const list = el("tbody", {});
  const row = (cells) => el("tr", {}, cells.map(([text, state], place) =>
    el("td", { class: `${wordy[place] ? "" : "number"} ${state === "fail" || state === "unscored" ? `mark ${state}` : state}` },
      complianceName(shown.heads[place], text, table))));
  const first = ["Test", "Case"].includes(shown.heads[0]) ? FLAKY : shown.rows.length;
  list.append(...shown.rows.slice(0, first).map(row));
  const more = shown.rows.length > first && el("button", { type: "button", class: "link more", onclick: (event) => {
    list.append(...shown.rows.slice(first).map(row));
    event.currentTarget.remove();
  } }, `Show all ${grouped(shown.rows.length)}`);
  const made = panel(shown.title, shown.hint,
    el("div", { class: "small-table", tabindex: 0, role: "region", "aria-label": shown.title },
      el("table", { class: `compliance ${shown.heads[0] === "Rule" ? "rules" : ""}` }, el("thead", {}, head), list)), more);
  made.classList.add("wide");
  return made;
}

/** A target or a test narrows the table below to its results. */
function complianceName(head, text, table) {
  if (head === "Target") return filterButton(text, { target: text }, table);
  return head === "Test" || head === "Case" ? filterButton(text, { text }, table) : outside(text);
}

// The cases of a comparison: filtered, paged, and opened to both answers with what changed between them.

const PAGE = 100;
const STATES = {
  worse: ["fail", "worse"], better: ["pass", "better"], changed: ["changed", "other words"], same: ["info", "unchanged"],
  new: ["new", "new"], missing: ["missing", "not run"], rewritten: ["rewritten", "rewritten"],
};
const CHOICES = [["", "All"], ["worse", "Worse"], ["better", "Better"], ["changed", "Other words"]];
const AROUND = 160;
const EVERYTHING = { text: "", state: "", intent: "", cause: "", hide: true };

class CaseList {
  constructor(page, place) {
    this.page = page;
    this.place = place;
    this.filter = { ...EVERYTHING };
    this.at = 0;
    this.open = new Set();
    page.rows.forEach((row, n) => { row.n = n; });
  }

  draw() {
    this.count = el("span", { class: "case-count", role: "status" });
    this.list = el("div", { class: "cases" });
    this.pager = el("div", { class: "pager" });
    this.empty = el("div", { class: "empty" });
    this.place.replaceChildren(this.tools(), this.list, this.empty, this.pager);
    this.apply();
  }

  tools() {
    const rows = this.page.rows, counts = {};
    for (const row of rows) counts[row.state] = (counts[row.state] || 0) + 1;
    this.search = el("input", { type: "search", placeholder: "Search cases, questions, answers", "aria-label": "Search",
      oninput: () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.change({ text: this.search.value }), 120); } });
    this.segments = CHOICES.filter(([value]) => !value || counts[value]).map(([value, word]) => el("button",
      { type: "button", "data-state": value, onclick: () => this.change({ state: value }) },
      word, el("span", { class: "muted" }, grouped(value ? counts[value] : rows.length))));
    this.hide = el("input", { type: "checkbox", id: "hide-unchanged", onchange: () => this.change({ hide: this.hide.checked }) });
    const intents = [...new Set(rows.map((row) => row.intent).filter(Boolean))].sort();
    this.selects = { intent: this.select("intent", "All intents", intents.map((name) => [name, name])),
      cause: this.select("cause", "Any cause", this.page.causes.map((text, n) => [String(n), `${n + 1}. ${text}`])) };
    this.clear = el("button", { type: "button", class: "plain", onclick: () => this.change({ ...EVERYTHING }) }, "Clear filters");
    return el("div", { class: "case-tools", role: "search" }, this.search,
      el("div", { class: "segments", role: "group", "aria-label": "What happened" }, this.segments),
      intents.length > 1 ? this.selects.intent : "", this.page.causes.length ? this.selects.cause : "",
      counts.same ? el("label", { for: "hide-unchanged" }, this.hide, "Hide unchanged") : "", this.clear, this.count);
  }

  select(key, all, options) {
    const made = el("select", { "aria-label": all, onchange: () => this.change({ [key]: made.value }) }, el("option", { value: "" }, all),
      options.map(([value, word]) => el("option", { value }, word)));
    return made;
  }

  change(filter) {
    this.filter = { ...this.filter, ...filter };
    this.at = 0;
    this.apply();
  }

  keeps(row) {
    const { text, state, intent, cause, hide } = this.filter;
    return (!hide || row.state !== "same") && (!state || row.state === state) && (!intent || row.intent === intent) &&
      (cause === "" || row.causes.includes(Number(cause))) &&
      (!text.trim() || text.toLowerCase().trim().split(/\s+/).every((word) => this.hay(row).includes(word)));
  }

  /** All words of a case, gathered at the first search. */
  hay(row) {
    if (row.hay === undefined) {
      const detail = detailOf(row);
      const said = detail.turns.flatMap((turn) => [turn.question, turn.before, turn.after, ...(turn.diff || []).map(([, words]) => words)]);
      row.hay = [row.case, row.intent, row.why, ...said, ...detail.expected, ...detail.found].filter(Boolean).join("\n").toLowerCase();
    }
    return row.hay;
  }

  apply() {
    const { filter } = this;
    this.found = this.page.rows.filter((row) => this.keeps(row));
    if (this.search.value !== filter.text) this.search.value = filter.text;
    for (const button of this.segments) button.setAttribute("aria-pressed", String(button.dataset.state === filter.state));
    for (const [key, select] of Object.entries(this.selects)) { select.value = filter[key]; select.classList.toggle("on", filter[key] !== ""); }
    this.hide.checked = filter.hide;
    this.clear.hidden = Object.entries(EVERYTHING).every(([key, value]) => filter[key] === value);
    this.drawRows();
  }

  drawRows() {
    const from = this.at * PAGE, shown = this.found.slice(from, from + PAGE), all = this.page.rows.length;
    this.list.replaceChildren(...shown.map((row) => this.row(row)));
    this.list.hidden = !shown.length;
    this.empty.hidden = shown.length > 0;
    const same = this.page.rows.filter((row) => row.state === "same").length;
    this.empty.textContent = all === same && this.filter.hide ? `All ${many(all, "case")} are unchanged.` : "No case fits these filters.";
    const whole = all < this.page.total ? ` (the page has the first ${grouped(all)} of ${grouped(this.page.total)})` : "";
    this.count.textContent = `${grouped(this.found.length)} of ${many(all, "case")}${whole}`;
    const pages = Math.ceil(this.found.length / PAGE);
    this.pager.hidden = pages < 2;
    const step = (word, by) => el("button", { type: "button", class: "plain", disabled: this.at + by < 0 || this.at + by >= pages,
      onclick: () => { this.at += by; this.drawRows(); document.getElementById("cases").scrollIntoView(); } }, word);
    this.pager.replaceChildren(el("span", {}, `${grouped(from + 1)}–${grouped(from + shown.length)} of ${grouped(this.found.length)}`), el("div", {}, step("Previous", -1), step("Next", 1)));
  }

  row(row) {
    const [kind, word] = STATES[row.state];
    const button = el("button", { type: "button", "aria-expanded": "false", "data-name": row.case, onclick: () => this.toggle(row, box) },
      el("span", {}, el("span", { class: `chip ${kind}` }, word)),
      el("span", {}, el("span", { class: "case-name" }, outside(row.case), row.intent ? outside(row.intent, "span", { class: "tag" }) : ""),
        outside(row.question, "span", { class: "question" }), row.why ? outside(row.why, "span", { class: "why" }) : ""),
      el("span", { class: "moved" }, this.outcomes(row), row.before === null && row.after === null ? "" :
        el("span", {}, decimals(row.before), " → ", el("b", {}, decimals(row.after)))));
    const box = el("div", { class: `case ${kind}`, "data-n": row.n }, button);
    if (this.open.has(row.n)) this.unfold(row, box);
    return box;
  }

  outcomes(row) {
    if (!row.was || !row.now) return stateWord(row.was || row.now || "skipped", row.was ? "not run" : row.now);
    return row.was === row.now ? stateWord(row.now) : el("span", { class: "outcomes" }, stateWord(row.was), " → ", stateWord(row.now));
  }

  toggle(row, box) {
    if (this.open.delete(row.n)) {
      box.querySelector(".case-body").remove();
      box.querySelector("button").setAttribute("aria-expanded", "false");
      return;
    }
    this.open.add(row.n);
    this.unfold(row, box);
    setHash(row);
  }

  unfold(row, box) {
    box.querySelector("button").setAttribute("aria-expanded", "true");
    box.append(bodyOf(detailOf(row)));
  }

  /** Open a case, wherever it is in the list. */
  show(row) {
    if (!row) return false;
    if (!this.keeps(row)) this.filter = { ...EVERYTHING, hide: row.state === "same" ? false : this.filter.hide };
    this.open.add(row.n);
    this.found = this.page.rows.filter((each) => this.keeps(each));
    this.at = Math.floor(this.found.indexOf(row) / PAGE);
    this.apply();
    const box = this.list.querySelector(`[data-n="${row.n}"]`);
    box.scrollIntoView({ block: "start" });
    box.querySelector("button").focus({ focusVisible: true, preventScroll: true });
    setHash(row);
    return true;
  }
}

function detailOf(row) {
  return JSON.parse(document.getElementById(`c${row.n}`).textContent);
}

function setHash(row) {
  history.replaceState(null, "", `#case=${encodeURIComponent(plainly(row.case))}`);
}

/** An opened case: each turn with both answers, the figures that moved, what was expected and what was found. */
function bodyOf(detail) {
  const several = detail.turns.length > 1;
  const turns = detail.turns.map((turn, n) => el("div", { class: "turn" },
    el("h3", {}, several ? `Turn ${n + 1}: question` : "Question"), passage(turn.question || NONE, "div", { class: "asked" }), sides(turn)));
  return el("div", { class: "case-body" }, turns, figureList(detail.figures),
    detail.expected.length || detail.found.length ? el("div", { class: "two" },
      lineList("Expected", detail.expected), lineList("Found now", detail.found)) : "");
}

function sides(turn) {
  if (turn.diff) {
    return el("div", { class: "sides" }, side("Before", pieces(turn.diff, "gone", "del")), side("After", pieces(turn.diff, "new", "ins")));
  }
  const { before, after } = turn, none = (words) => words === null || words === undefined;
  if (none(before) && none(after)) return "";
  if (none(before) || none(after)) return el("div", { class: "sides" }, none(before) ? side("After", words(after)) : side("Before", words(before)));
  return side("The same answer before and after", words(after));
}

function side(title, inside) {
  return el("div", { class: "side" }, el("h3", {}, title), inside);
}

function words(text) {
  return text ? passage(text, "div", { class: "text" }) : el("p", { class: "muted" }, "an empty answer");
}

/** One of the two texts: what both have, and what only this one has, marked. */
function pieces(diff, own, mark) {
  const shown = diff.filter(([op]) => op === "same" || op === own);
  const all = shown.map(([, text]) => text).join("");
  if (!all) return el("p", { class: "muted" }, "an empty answer");
  const marked = ([op, text]) => (op === own ? el(mark, {}, text) : text);
  const place = el("div", { class: "text outside", dir: "auto", lang: languageOf(all) });
  if (all.length <= LONG) {
    place.append(...shown.map(marked));
    return place;
  }
  // A very long text takes a browser seconds: what changed comes first, with a few words around it.
  let room = LONG;
  shown.forEach(([op, text], n) => {
    if (room <= 0) return;
    const short = op === own ? text.slice(0, room) : around(text, n > 0, n < shown.length - 1);
    room -= short.length;
    place.append(marked([op, short]), op === own && short.length < text.length ? "…" : "");
  });
  place.append(" ", el("button", { type: "button", class: "link show-all", onclick: () => place.replaceChildren(...shown.map(marked)) },
    `show all ${grouped(all.length)} characters`));
  return place;
}

/** A text that did not change, down to the words next to what did. */
function around(text, after, before) {
  if (text.length <= 3 * AROUND) return text;
  return `${after ? text.slice(0, AROUND) : ""} … ${before ? text.slice(-AROUND) : ""}`;
}

function figureList(figures) {
  if (!figures.length) return "";
  return el("div", {}, el("h3", {}, "Figures that moved"), el("dl", { class: "case-figures" }, figures.map(([name, before, after]) => {
    const way = before === null || after === null ? "" : after < before ? "fell" : "rose";
    return el("div", {}, outside(name, "dt"), el("dd", {}, decimals(before), " → ", el("span", { class: way }, decimals(after))));
  })));
}

function lineList(title, lines) {
  if (!lines.length) return "";
  return el("div", {}, el("h3", {}, title), el("ul", { class: "lines" }, lines.map((line) => outside(line, "li"))));
}

const page = JSON.parse(document.getElementById("page-data").textContent);
const place = document.getElementById("case-list");
const cases = place && new CaseList(page, place);
if (cases) {
  cases.draw();
  for (const link of document.querySelectorAll("a.case-link")) {
    link.addEventListener("click", (event) => { if (cases.show(page.rows[Number(link.dataset.n)])) event.preventDefault(); });
  }
  for (const button of document.querySelectorAll(".only-cause")) {
    button.addEventListener("click", () => {
      cases.change({ ...EVERYTHING, cause: button.dataset.cause });
      document.getElementById("cases").scrollIntoView();
    });
  }
  const follow = () => {
    if (!location.hash.startsWith("#case=")) return;
    const name = decodeURIComponent(location.hash.slice(6));
    cases.show(page.rows.find((row) => plainly(row.case) === name));
  };
  addEventListener("hashchange", follow);
  follow();
} else {
  for (const button of document.querySelectorAll(".only-cause")) button.hidden = true;
}

// One result in full, in a drawer that the keyboard and a link can open.

const FEW_TURNS = 2;
const SHORT_WHY = 320;

class Drawer {
  constructor(page, table) {
    this.page = page;
    this.table = table;
    this.dialog = document.getElementById("drawer");
    this.dialog.addEventListener("close", () => this.closed());
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
    this.dialog.addEventListener("keydown", (event) => this.typed(event));
    addEventListener("hashchange", () => this.follow());
  }

  open(n) {
    const row = this.page.rows.find((each) => each.n === n);
    this.row = row;
    const result = detailOf(row);
    this.dialog.replaceChildren(this.head(row, result), this.body(row, result));
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.scrollTop = 0;
    this.dialog.querySelector("[data-close]").focus({ focusVisible: false });
    setHash(linkOf(row));
  }

  head(row, result) {
    const place = this.table.found.indexOf(row), state = row.doubt ? "doubt" : row.outcome;
    const step = (by, word, picture) => {
      const next = place < 0 ? undefined : this.table.found[place + by];
      return el("button", { type: "button", class: "quiet", disabled: !next, "data-step": by, title: `${word} (${by < 0 ? "K" : "J"})`, onclick: () => this.open(next.n) }, sign(picture), el("span", { class: "long" }, word));
    };
    return el("div", { class: "drawer-head" },
      el("div", { class: "drawer-tools" }, step(-1, "Previous", "up"), step(1, "Next", "down"),
        el("span", { class: "small muted" }, place < 0 ? "" : `${grouped(place + 1)} of ${grouped(this.table.found.length)}`), el("span", { class: "gap" }),
        el("button", { type: "button", class: "quiet", onclick: () => copyText(location.href, "Link") }, sign("link"), "Copy link"),
        el("button", { type: "button", class: "quiet", "data-yaml": true, onclick: () => copyText(caseAsYaml(result.case), "Case") }, sign("copy"), "Copy as YAML"),
        el("button", { type: "button", class: "quiet", "data-close": true, "aria-label": "Close", title: "Close (Esc)", onclick: () => this.dialog.close() }, sign("close", 16))),
      el("h2", { id: "drawer-title" }, outside(row.case), el("span", { class: `chip ${state}` }, sign(state, 12), row.doubt ? "in doubt" : state)),
      el("div", { class: "drawer-facts" }, outside(row.target), row.sample ? el("span", {}, `sample ${row.sample}`) : "",
        row.intent ? el("span", {}, "intent ", outside(row.intent)) : "", el("span", {}, seconds(row.latency)), row.cost === null ? "" : el("span", {}, money(row.cost)),
        row.value === null ? "" : el("span", {}, `value ${decimals(row.value)}`), row.tags.map((tag) => outside(tag, "span", { class: "tag" }))));
  }

  body(row, result) {
    const section = (title, ...children) => el("section", {}, el("h3", {}, title), ...children);
    const goToTurn = (turn) => {
      const block = this.dialog.querySelector(`#turn-${turn}`);
      if (block) { block.scrollIntoView({ block: "center" }); block.focus(); }
    };
    const state = row.doubt ? "doubt" : row.outcome, why = state === "pass" ? [] : result.causes || [row.why];
    const scores = section("Scores", scoreList(result.scores || [], goToTurn)), said = section("Conversation", conversation(result));
    return el("div", { class: "drawer-body" },
      inputSection(result.case, section),
      why.length ? el("div", { class: `callout ${state}` }, el("p", {}, stateWord(state, { fail: "Failed", doubt: "In doubt, to be reviewed" }[state] || "Could not be judged")),
        why.map((cause) => passage(cause, "p", {}, SHORT_WHY))) : "",
      // Question and answer first where they are short; a long conversation would push its scores out of sight.
      row.turns <= FEW_TURNS ? [said, scores] : [scores, said],
      section("Expected", expectation(result.case)),
      section("Everything else", restOf(result)));
  }

  typed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { j: 1, k: -1 }[event.key.toLowerCase()];
    if (by) this.dialog.querySelector(`[data-step="${by}"]`).click();
  }

  closed() {
    setHash("");
    // Back to where the reader was, or to the last result looked at.
    if (this.row) this.table.reveal(this.row.n);
  }

  /** Open what the address names, if it names a result. */
  follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has("case")) return;
    const row = this.page.rows.find((each) => plainly(each.case) === asked.get("case") &&
      (!asked.has("target") || plainly(each.target) === asked.get("target")) && each.sample === Number(asked.get("sample") || 0));
    if (row) { if (!(this.dialog.open && this.row === row)) this.open(row.n); }
    else say(`No result of case ${asked.get("case").slice(0, 80)} is on this page`);
  }
}

function linkOf(row) {
  const parts = { case: plainly(row.case), target: plainly(row.target), ...(row.sample ? { sample: row.sample } : {}) };
  return `#${new URLSearchParams(parts)}`;
}

function setHash(hash) {
  try {
    history.replaceState(null, "", hash || location.href.split("#")[0]);
  } catch {
    location.hash = hash;
  }
}

/** The values of a prompt's inputs, on top: they are what was asked, and stand otherwise far down in the rendered prompt. */
function inputSection(item, section) {
  const given = Object.entries(item.inputs || {});
  if (!given.length) return "";
  return section(given.length > 1 ? "Inputs" : "Input", el("dl", { class: "expect inputs" }, given.flatMap(([name, value]) =>
    [outside(name, "dt"), el("dd", {}, passage(typeof value === "string" ? value : JSON.stringify(value), "div", { class: "text" }, 1200))])));
}

function expectation(item) {
  const expect = item.expect || {}, rows = [];
  const list = (values) => el("ul", {}, values.map((value) => passage(typeof value === "string" ? value : value.text || value.name || JSON.stringify(value), "li")));
  for (const [name, title] of [["facts", "Facts"], ["products", "Products"], ["forbidden", "Forbidden"], ["rules", "Rules"], ["intents", "Intents"], ["sources", "Sources"]]) {
    if (expect[name]?.length) rows.push([title, list(expect[name])]);
  }
  if (expect.tool_calls?.length) rows.push(["Tool calls", expect.tool_calls.map((call) => outside(callText(call), "div", { class: "mono" }))]);
  if (expect.escalation !== undefined && expect.escalation !== null) rows.push(["Hand-over", expect.escalation ? "to a person" : "none"]);
  if (expect.reference) rows.push(["Reference", passage(expect.reference, "div")]);
  (item.turns || []).forEach((ask, place) => {
    if (ask.expect && Object.keys(ask.expect).length) rows.push([`Turn ${place + 1}`, textBlock(ask.expect)]);
  });
  if (!rows.length) return el("p", { class: "muted" }, "The case names no expectation.");
  return el("dl", { class: "expect" }, rows.flatMap(([title, inside]) => [el("dt", {}, title), el("dd", {}, inside)]));
}

function callText(call) {
  if (typeof call === "string") return call;
  return call.arguments && Object.keys(call.arguments).length ? `${call.name}(${JSON.stringify(call.arguments).slice(1, -1)})` : call.name;
}

function restOf(result) {
  const facts = { Started: result.started && clock(result.started), Duration: result.duration === undefined ? undefined : seconds(result.duration), Session: result.trajectory?.session,
    Customer: result.trajectory?.customer, Description: result.case.description };
  const given = { Inputs: result.case.inputs, Page: result.case.page, Metadata: result.case.metadata };
  const rows = [...Object.entries(facts).filter(([, value]) => value).map(([title, value]) => [title, passage(value, "dd")]),
    ...Object.entries(given).filter(([, value]) => value).map(([title, value]) => [title, el("dd", {}, tree(value))])];
  return [
    rows.length ? el("dl", { class: "expect" }, rows.flatMap(([title, inside]) => [el("dt", {}, title), inside])) : "",
    el("div", {}, fold("The case as YAML", () => textBlock(caseAsYaml(result.case)))),
    el("div", {}, fold("The result as JSON", () => textBlock(result))),
  ];
}

// A result's scores: value against threshold, the reason, the evidence, the parts.

const STATE_WORDS = { pass: "passed", doubt: "in doubt", fail: "failed", info: "informs", skipped: "skipped", error: "not judged" };

function scoreList(scores, goToTurn) {
  if (!scores.length) return el("p", { class: "muted" }, "No score was given.");
  return el("div", {}, scores.map((score) => scoreRow(score, goToTurn)));
}

function scoreRow(score, goToTurn) {
  if (typeof score === "string") return el("p", { class: "muted" }, score);
  return el("div", { class: `score ${score.state}` },
    el("div", {}, outside(score.name, "div", { class: "title" }), stateWord(score.state, STATE_WORDS[score.state])),
    el("div", { class: "meter" }, meter(score)),
    el("div", { class: "says" },
      score.reason && passage(score.reason),
      (score.evidence || []).map((evidence) => quotation(evidence, goToTurn)),
      score.parts?.length ? partList(score.parts) : "",
      score.raw && fold("What was answered", () => textBlock(score.raw)),
      el("p", { class: "fine" }, finePrint(score))));
}

function meter(score) {
  if (score.value === undefined || score.value === null) return el("span", { class: "muted" }, "no value");
  const reading = el("div", { class: "reading" }, el("b", {}, decimals(score.value)),
    score.threshold !== undefined ? el("span", { class: "muted small" }, `≥ ${score.threshold}`) : "");
  const bar = svg("svg", { class: "chart", height: 8, "aria-hidden": "true" },
    svg("rect", { x: 0, y: 2, width: "100%", height: 4, rx: 2, class: "meter-back" }),
    svg("rect", { x: 0, y: 2, width: `${score.value * 100}%`, height: 4, rx: 2, class: "meter-fill" }),
    score.threshold !== undefined
      ? svg("line", { x1: `${score.threshold * 100}%`, x2: `${score.threshold * 100}%`, y1: 0, y2: 8, class: "meter-threshold" }) : "");
  return [reading, bar];
}

function quotation(evidence, goToTurn) {
  if (typeof evidence === "string") return el("p", { class: "muted" }, evidence);
  const from = [];
  if (evidence.turn !== undefined) {
    from.push(el("button", { type: "button", class: "link", onclick: () => goToTurn(evidence.turn) }, `turn ${evidence.turn + 1}`));
  }
  if (evidence.where) from.push(outside(evidence.where));
  if (evidence.note) from.push(passage(evidence.note, "span"));
  return el("blockquote", {}, evidence.quote && passage(evidence.quote),
    from.length ? el("footer", {}, from.flatMap((part, place) => (place ? [" · ", part] : [part]))) : "");
}

function partList(parts) {
  return el("ul", { class: "parts" }, parts.map((part) => (typeof part === "string" ? el("li", {}, part) : el("li", { class: part.state },
    sign(part.state, 12),
    el("span", {}, el("span", { class: "hidden-words" }, `${STATE_WORDS[part.state]}: `), outside(ruleOf(part) || part.name),
      predicateOf(part) ? [" ", outside(predicateOf(part), "code", { class: "predicate" })] : "",
      part.reason ? passage(` – ${part.reason}`, "span", { class: "muted" }) : ""),
    el("span", { class: "muted" }, decimals(part.value)),
    part.parts?.length ? partList(part.parts) : ""))));
}

/** The words of the rule that a verdict is about; its name is only a hash. */
function ruleOf(part) {
  return part.evidence?.find?.((each) => each.where === "rule")?.quote;
}

/** What code checks of the rule, if it does. */
function predicateOf(part) {
  return part.evidence?.find?.((each) => each.where === "rule")?.predicate;
}

function finePrint(score) {
  const facts = [score.producer || "rule"];
  if (score.version) facts.push(`version ${score.version}`);
  if (score.measured !== undefined) facts.push(`measured ${Number(score.measured.toPrecision(4))}${score.unit ? ` ${score.unit}` : ""}`);
  if (score.label) facts.push(`label ${score.label}`);
  if (score.confidence !== undefined) facts.push(`confidence ${decimals(score.confidence)}`);
  if (score.weight !== undefined) facts.push(`weight ${score.weight}`);
  if (score.cost !== undefined) facts.push(money(score.cost));
  return facts.join(" · ");
}

/** Something long behind its title; made when it is first opened. */
function fold(title, make) {
  const made = el("details", { class: "fold" }, el("summary", {}, title));
  made.addEventListener("toggle", () => made.append(make()), { once: true });
  return made;
}

function textBlock(value) {
  return passage(typeof value === "string" ? value : JSON.stringify(value, null, 2), "pre", { class: "data" }, 2 * LONG);
}

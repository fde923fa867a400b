// The whole conversation, turn by turn, with everything known about each.

const WHO = { user: "User", assistant: "Agent", system: "System", tool: "Tool" };

function conversation(result) {
  const turns = result.trajectory?.turns || [];
  const marks = quotesOf(result.scores || []);
  const before = (result.case.history || []).map((message) => messageRow(message, marks));
  return [
    before.length ? el("div", { class: "turn" }, el("div", { class: "turn-head" }, el("b", {}, "Before the case")), before) : "",
    turns.map((turn, place) => (typeof turn === "string" ? el("p", { class: "muted" }, turn) : turnBlock(turn, place, marks))),
    turns.length ? "" : el("p", { class: "muted" }, "Nothing was said."),
    result.trajectory?.error ? trouble(result.trajectory.error_kind, result.trajectory.error) : "",
    result.trajectory?.raw ? fold("What the target answered, as it came", () => textBlock(result.trajectory.raw)) : "",
  ];
}

/** What the scores quote, so that it can be marked where it was said; failing scores only when some fail. */
function quotesOf(scores) {
  const some = scores.some((score) => score.state === "fail");
  return scores.filter((score) => !some || score.state === "fail")
    .flatMap((score) => (score.evidence || []).map((evidence) => evidence.quote || "")).filter((quote) => quote.length > 3);
}

function turnBlock(turn, place, marks) {
  const messages = turn.messages || [];
  // The tools ran between the question and the answer, and are shown there.
  const answer = messages.findLastIndex((message) => message.role === "assistant");
  const cut = answer < 0 ? messages.length : answer;
  return el("div", { class: "turn", id: `turn-${place}`, tabindex: -1 },
    el("div", { class: "turn-head" }, el("b", {}, `Turn ${place + 1}`), turnFacts(turn)),
    messages.slice(0, cut).map((message) => messageRow(message, marks)),
    (turn.memory || []).map(memoryRead), sourceList(turn.sources || []),
    (turn.tool_calls || []).map(toolCall), (turn.verdicts || []).map(verdictLine),
    messages.slice(cut).map((message) => messageRow(message, marks)),
    turn.escalation ? escalationLine(turn.escalation) : "",
    turn.error ? trouble("", turn.error) : "");
}

function turnFacts(turn) {
  const facts = (turn.intents || []).map((intent) => [outside(`intent ${intent.name}`), intent.confidence !== undefined ? ` ${decimals(intent.confidence)}` : ""]);
  if (turn.confidence !== undefined) facts.push(`confidence ${decimals(turn.confidence)}`);
  if (turn.latency !== undefined) facts.push(seconds(turn.latency));
  if (turn.first_token !== undefined) facts.push(`first words ${seconds(turn.first_token)}`);
  if (turn.usage) {
    const cached = turn.usage.cached_input ? ` (${grouped(turn.usage.cached_input)} cached)` : "";
    facts.push(`${grouped(turn.usage.input || 0)}${cached} → ${grouped(turn.usage.output || 0)} tokens`);
  }
  if (turn.cost !== undefined) facts.push(money(turn.cost));
  if (turn.time) facts.push(clock(turn.time));
  return facts.map((fact) => el("span", {}, fact));
}

function messageRow(message, marks) {
  if (typeof message === "string") return el("p", { class: "muted" }, message);
  const words = passage(message.content, "div", { class: "words" }, LONG, (place, text) => fillWords(place, text, marks));
  for (const call of message.tool_calls || []) words.append(el("div", { class: "muted small" }, `calls ${call.name || call}`));
  const who = message.name ? `${WHO[message.role] || message.role} ${message.name}` : WHO[message.role] || message.role;
  return el("div", { class: `message ${message.role}` }, outside(who, "div", { class: "who" }), words);
}

/** Put the text in, with what the scores quote marked. */
function fillWords(place, text, marks) {
  const spans = marks.map((quote) => [text.indexOf(quote), quote.length]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0]);
  let done = 0;
  for (const [at, length] of spans) {
    if (at < done) continue;
    place.append(text.slice(done, at), el("mark", { title: "quoted by a score" }, text.slice(at, at + length)));
    done = at + length;
  }
  place.append(text.slice(done));
}

function toolCall(call) {
  if (typeof call === "string") return el("p", { class: "muted" }, call);
  const given = call.arguments || {};
  return el("details", { class: `aside ${call.error ? "fail" : ""}`, open: Boolean(call.error) },
    el("summary", {}, el("span", { class: "kind" }, "Tool"), outside(call.name, "span", { class: "what mono" }),
      outside(JSON.stringify(given).slice(0, 300), "span", { class: "call mono small" }),
      call.error ? stateWord("fail", "error") : "", el("span", { class: "right" }, call.latency !== undefined ? seconds(call.latency) : "")),
    el("div", { class: "inside" }, el("span", { class: "label" }, "Arguments"), textBlock(given),
      call.error ? [el("span", { class: "label" }, "Error"), textBlock(call.error)] : "",
      call.result !== undefined ? [el("span", { class: "label" }, "Result"), textBlock(call.result)] : ""));
}

function memoryRead(read) {
  if (typeof read === "string") return el("p", { class: "muted" }, read);
  return el("div", { class: "aside" }, el("div", { class: "line" }, el("span", { class: "kind" }, "Memory"), outside(read.key, "span", { class: "what" }),
    passage(typeof read.value === "string" ? read.value : JSON.stringify(read.value ?? null), "span"), el("span", { class: "right" }, read.origin ? outside(read.origin) : "")));
}

function sourceList(sources) {
  return sources.map((source) => (typeof source === "string" ? el("p", { class: "muted" }, source) : el("details", { class: "aside" },
    el("summary", {}, el("span", { class: "kind" }, "Source"), outside(source.title || source.id, "span", { class: "what" }),
      source.score !== undefined ? el("span", { class: "muted small" }, `score ${decimals(source.score)}`) : "",
      el("span", { class: "right" }, source.date ? outside(`as of ${source.date}`) : "no date")),
    el("div", { class: "inside" }, passage(source.text || "No text was kept."),
      outside([source.id, source.uri].filter(Boolean).join(" · "), "span", { class: "label mono" })))));
}

function verdictLine(verdict) {
  if (typeof verdict === "string") return el("p", { class: "muted" }, verdict);
  const state = { allow: "pass", block: "fail" }[verdict.action] || "info";
  return el("div", { class: "aside" }, el("div", { class: "line" }, el("span", { class: "kind" }, "Gate"), outside(verdict.gate || "gate", "span", { class: "what" }),
    stateWord(state, verdict.action), outside(verdict.reason || "", "span", { class: "muted" }), verdict.broken ? el("span", { class: "chip fail" }, "the gate broke") : "",
    el("span", { class: "right" }, verdict.latency !== undefined ? seconds(verdict.latency) : "")),
  (verdict.findings || []).map((finding) => (typeof finding === "string" ? finding : el("div", { class: "line small" }, el("span", { class: "kind" }, ""),
    outside(finding.kind, "span", { class: "tag" }), finding.text ? passage(`“${finding.text}”`, "span") : "",
    outside([finding.severity, finding.detector, finding.confidence !== undefined ? decimals(finding.confidence) : "", finding.reason].filter(Boolean).join(" · "), "span", { class: "muted" })))));
}

function escalationLine(escalation) {
  return el("div", { class: "aside" }, el("div", { class: "line" }, el("span", { class: "kind" }, "Handed over"),
    outside(escalation.to || "to a person", "span", { class: "what" }), outside([escalation.category, escalation.reason].filter(Boolean).join(": "), "span", { class: "muted" })));
}

function trouble(kind, text) {
  return el("div", { class: "callout unscored" }, el("p", {}, stateWord("error", kind ? `${kind} error` : "error")), passage(text));
}

// Making elements. Text only ever becomes a text node: nothing from a run is read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes (or listeners, for functions) and children; empty children are left out. */
function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** Words from outside: set apart from the reading direction around them, in the right script. */
function outside(text, tag = "span", attributes = {}) {
  const words = text === null || text === undefined ? "" : String(text);
  const kind = ("outside " + (attributes.class || "")).trim();
  return el(tag, { lang: languageOf(words), ...attributes, class: kind, dir: "auto" }, words);
}

const BACK = 14;

/** A name whose middle gives way when there is no room: its beginning and its end stay. */
function middleCut(text) {
  const words = text === null || text === undefined ? "" : String(text);
  const letters = [...words];
  if (letters.length <= BACK + 4) return outside(words);
  return el("span", { class: "middle outside", title: words, lang: languageOf(words), dir: "auto" },
    el("span", { class: "front" }, letters.slice(0, -BACK).join("")), el("span", { class: "back" }, letters.slice(-BACK).join("")));
}

const LONG = 3000;

/** Words from outside that may be very long: the rest comes when asked for, so that the page stays quick. */
function passage(text, tag = "p", attributes = {}, limit = LONG, put = (place, words) => place.append(words)) {
  const words = text === null || text === undefined ? "" : String(text);
  const place = outside("", tag, { ...attributes, lang: languageOf(words) });
  if (words.length <= limit * 1.2) {
    put(place, words);
    return place;
  }
  put(place, words.slice(0, limit));
  place.append("… ", el("button", { type: "button", class: "link show-all", onclick: () => {
    place.replaceChildren();
    put(place, words);
  } }, `show all ${grouped(words.length)} characters`));
  return place;
}

/** Kana tell Japanese from Chinese, which share their other characters but not their shapes. */
function languageOf(text) {
  return /[\u3040-\u30ff]/.test(text) ? "ja" : null;
}

/** Half a surrogate pair cannot stand in an address or in YAML. */
function plainly(text) {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

const SIGNS = {
  pass: "M3 8.5l3.2 3.2L13 4.8",
  fail: "M4 4l8 8M12 4l-8 8",
  unscored: "M5.4 5.6a2.6 2.6 0 1 1 3.7 2.7c-.8.4-1.1.9-1.1 1.6M8 12.6v.2",
  skipped: "M4 8h8",
  doubt: "M3 9c1.4-2.8 3.4-2.8 5-1s3.6 1.8 5-1",
  info: "M8 7v5M8 4v.2",
  sun: "M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5",
  close: "M4 4l8 8M12 4l-8 8",
  up: "M4 10l4-4l4 4",
  down: "M4 6l4 4l4-4",
  link: "M6.5 9.5l3-3M5.5 7.5l-2 2a2.1 2.1 0 0 0 3 3l2-2M10.5 8.5l2-2a2.1 2.1 0 0 0-3-3l-2 2",
  copy: "M6 6h7v7H6zM3 10V3h7",
};
SIGNS.error = SIGNS.unscored;

/** A small sign drawn in the colour of the text around it. */
function sign(name, size = 14) {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" },
    svg("path", {
      d: SIGNS[name], fill: "none", stroke: "currentColor", "stroke-width": 1.9, "stroke-linecap": "round", "stroke-linejoin": "round",
    }),
  );
}

/** An outcome: sign, word and colour together. */
function stateWord(state, word = state) {
  return el("span", { class: `state ${state}` }, sign(state), word);
}

function panel(title, hint, ...children) {
  const head = el("div", { class: "panel-head" }, el("h2", {}, title), hint && el("div", { class: "hint" }, hint));
  return el("section", { class: "panel" }, head, ...children);
}

/** Say something for a moment, also to a screen reader. */
function say(text) {
  const place = document.getElementById("said");
  place.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { place.textContent = ""; }, 2600);
}

async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Not every browser lends a page from disk the clipboard: the old way works there.
    const area = el("textarea", { class: "hidden-words", "aria-hidden": "true" });
    area.value = text;
    (document.querySelector("dialog[open]") || document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(`${what} copied`);
}

// Lines between turns that contradict each other; without a script the turns still name each other.
const talk = document.querySelector("[data-talk]");
const held = document.getElementById("arcs");
const pairs = held ? JSON.parse(held.textContent) : [];
const SVG = "http://www.w3.org/2000/svg";

function make(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

function draw() {
  talk.querySelector(":scope > svg")?.remove();
  const base = talk.getBoundingClientRect();
  const svg = make("svg", { "aria-hidden": "true" }, talk);
  const wide = parseFloat(getComputedStyle(talk).paddingLeft);
  const place = (number) => {
    const card = talk.querySelector(`[data-turn="${number}"]`)?.getBoundingClientRect();
    return card ? card.top - base.top + Math.min(card.height / 2, 60) : -6; // on an earlier page: from above
  };
  pairs.forEach(([earlier, later], number) => {
    const from = place(earlier), to = place(later), shift = (number % 5) * 3 - 6;
    const out = Math.max(2, wide - 10 - Math.min(wide - 12, 12 + Math.abs(to - from) / 24));
    const path = make("path", { d: `M${wide} ${from + shift}C${out} ${from + shift} ${out} ${to + shift} ${wide} ${to + shift}` }, svg);
    if (from > 0) make("circle", { cx: wide, cy: from + shift, r: 3 }, svg);
    make("circle", { cx: wide, cy: to + shift, r: 3 }, svg);
    for (const each of [earlier, later]) {
      const card = talk.querySelector(`[data-turn="${each}"]`);
      card?.addEventListener("mouseenter", () => path.setAttribute("class", "on"));
      card?.addEventListener("mouseleave", () => path.removeAttribute("class"));
    }
  });
}

if (talk && !pairs.length) talk.classList.add("no-arcs");
if (talk && pairs.length) {
  new ResizeObserver(draw).observe(talk);
}

// What every page does beyond HTML: theme, menu, times in the reader's zone, live parts, time series, confirmations.
const root = document.documentElement;

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("[data-theme-toggle]")) {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("proctor-theme", root.dataset.theme); } catch { /* not kept */ }
    dispatchEvent(new Event("proctor-theme"));
  }
  const menu = target?.closest("[data-menu]");
  if (menu) menu.setAttribute("aria-expanded", String(menu.getAttribute("aria-expanded") !== "true"));
});

const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
function showTimes(within) {
  for (const each of within.querySelectorAll("time[datetime]")) {
    const time = new Date(each.getAttribute("datetime"));
    if (Number.isNaN(time.getTime())) continue;
    each.title = each.getAttribute("datetime");
    each.textContent = format.format(time);
  }
}

// Time series: the drawing of the server stays if the script cannot be loaded.
let plotter;
async function drawSeries(within) {
  const found = [...within.querySelectorAll("[data-series]")];
  if (!found.length) return;
  plotter ??= import("./series.js" + new URL(import.meta.url).search);
  const { draw } = await plotter;
  for (const each of found) draw(each);
}

// Live parts: when a topic changes, load this address again and put the parts in place.
const topics = document.body.dataset.liveTopics;
let waiting = false;
async function refresh() {
  if (waiting || document.hidden || document.activeElement?.closest("[data-live] form")) return;
  waiting = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok || answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-live][id]")) {
      const other = fresh.getElementById(part.id);
      if (!other || other.isEqualNode(part.proctorSource ?? part)) continue;
      const next = document.importNode(other, true);
      next.proctorSource = other;
      part.replaceWith(next);
      showTimes(next);
      drawSeries(next);
    }
  } finally {
    waiting = false;
  }
}
if (topics) {
  const wanted = new URLSearchParams({ topics, since: document.body.dataset.readAt });
  const feed = new EventSource("/ui/live?" + wanted);
  feed.addEventListener("changed", refresh);
  addEventListener("pagehide", () => feed.close());
}

// A form that asks before it acts.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset?.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// Filters that act at once.
document.addEventListener("change", (event) => {
  const form = event.target instanceof Element ? event.target.closest("form[data-auto]") : null;
  if (form && event.target.matches("select, input[type=checkbox], input[type=radio]")) form.requestSubmit();
});

// Another script has put a part into the page. An import of this file would be a second copy of it.
addEventListener("proctor-fresh", (event) => {
  showTimes(event.detail);
  drawSeries(event.detail);
});

showTimes(document);
drawSeries(document);

// The review queue by keyboard, and the slider of thresholds.
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
  if (typing && event.key === "Escape") { event.target.blur(); return; }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
  const wanted = document.querySelector(`[data-review] [data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!wanted) return;
  event.preventDefault();
  if (wanted.matches("select, textarea, input")) wanted.focus(); else wanted.click();
});

const form = document.querySelector("[data-what-if]");
let waiting = 0;
let asking;
async function ask() {
  const to = form.getAttribute("action") + "?" + new URLSearchParams(new FormData(form));
  asking?.abort();
  asking = new AbortController();
  try {
    const answer = await fetch(to, { signal: asking.signal });
    if (!answer.ok || answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("what-if");
    if (!fresh) return;
    history.replaceState(null, "", to);
    const part = document.importNode(fresh, true);
    document.getElementById("what-if").replaceWith(part);
    dispatchEvent(new CustomEvent("proctor-fresh", { detail: part }));
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}
form?.addEventListener("input", (event) => {
  if (event.target.type !== "range") return;
  form.querySelector("output").textContent = Number(event.target.value).toFixed(2);
  clearTimeout(waiting);
  waiting = setTimeout(ask, 80);
});
form?.addEventListener("change", (event) => {
  if (event.target.matches("select")) { form.elements.namedItem("from").disabled = true; form.requestSubmit(); }
});

// Rating by keyboard: a digit rates the marked dimension and goes to the next one, Enter stores.
const tell = (text) => { document.getElementById("told").textContent = text; };
const form = document.querySelector("[data-rate]");
const scales = [...form.querySelectorAll(".scale")];
const rated = (scale) => scale.querySelector("input:checked");
let at = Math.max(0, scales.findIndex((each) => !rated(each)));
if (scales.every(rated)) at = scales.length;

function mark(place) {
  at = Math.min(Math.max(0, place), scales.length);
  scales.forEach((each, number) => each.classList.toggle("now", number === at));
}

form.addEventListener("change", (event) => {
  const place = scales.indexOf(event.target.closest(".scale"));
  if (place >= 0) mark(place + 1);
});

document.addEventListener("keydown", (event) => {
  const key = event.key;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.matches("input[name=note]")) {
    if (key === "Escape") target.blur();
    return;
  }
  if (/^[1-9?]$/.test(key)) {
    const input = scales[at]?.querySelector(`input[value="${key}"]`);
    if (!input) return;
    input.checked = true;
    mark(at + 1);
  } else if (key === "Backspace") {
    mark(at - 1);
    const given = scales[at] && rated(scales[at]);
    if (given) given.checked = false;
  } else if (key === "Enter" && !target.closest("button, a, summary")) {
    if (scales.every(rated)) form.requestSubmit();
    else { mark(scales.findIndex((each) => !rated(each))); tell("Rate every dimension first."); }
  } else if (key === "n") form.elements.note.focus();
  else if (key === "s") document.querySelector("[data-skip]").requestSubmit();
  else return;
  event.preventDefault();
});

let sent = false;
form.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; });
addEventListener("pageshow", () => { sent = false; });
mark(at);

const left = Number(form.dataset.expires) * 1000 - Date.now();
if (left > 0 && left < 2 ** 31) setTimeout(() => tell("This conversation is not held for you any more: another person may get it. Your rating can still be stored."), left);

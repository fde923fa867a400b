// Narrow the charts of a trend page to one intent, or to what moved.

const intentChoice = document.getElementById("intent");
const movedChoice = document.getElementById("moved");

function narrow() {
  let shown = 0, all = 0;
  for (const section of document.querySelectorAll("section.intent[data-intent]")) {
    const here = !intentChoice.value || section.dataset.intent === intentChoice.value;
    let inside = 0;
    for (const chart of section.querySelectorAll(".trend")) {
      const kept = here && (!movedChoice.checked || chart.dataset.moved === "1");
      chart.hidden = !kept;
      inside += kept;
      all += 1;
    }
    section.hidden = inside === 0;
    shown += inside;
  }
  document.getElementById("shown").textContent = shown === all ? `${all} charts` : `${shown} of ${all} charts`;
}

if (intentChoice) {
  intentChoice.addEventListener("change", narrow);
  movedChoice.addEventListener("change", narrow);
  narrow();
}

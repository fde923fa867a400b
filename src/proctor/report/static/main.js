// Put the page together.

const page = JSON.parse(document.getElementById("page-data").textContent);
let drawer = null;
const table = new ResultsTable(page, (n) => drawer.open(n));
drawOverview(page, table);
table.draw();
drawRun(page);
drawer = new Drawer(page, table);
drawer.follow();

const themeButton = document.getElementById("theme");
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : systemDark.matches;
}

function drawThemeButton() {
  themeButton.replaceChildren(sign(isDark() ? "sun" : "moon", 16));
  themeButton.title = isDark() ? "Light" : "Dark";
}

themeButton.addEventListener("click", () => {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("proctor-theme", theme); } catch { /* kept for this visit only */ }
  drawThemeButton();
});
systemDark.addEventListener("change", drawThemeButton);
drawThemeButton();

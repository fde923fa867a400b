// The button that switches between light and dark; the choice is kept for the next page.

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

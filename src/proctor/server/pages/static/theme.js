// Before the first paint: the theme that the reader chose, if any.
try {
  const chosen = localStorage.getItem("proctor-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* no storage: the system's theme */ }

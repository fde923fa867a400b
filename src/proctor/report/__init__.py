"""Pages from reports: terminal, HTML, Markdown, JUnit, CSV and JSON."""

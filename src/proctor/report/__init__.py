"""Reports as files and on the terminal: HTML, Markdown, JUnit, CSV and JSON."""

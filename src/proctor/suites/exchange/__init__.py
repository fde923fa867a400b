"""Convert suites to and from the files of other tools: one module per tool."""

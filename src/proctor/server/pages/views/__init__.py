"""The pages. A module with a ``PAGE`` is a page of the dashboard; nothing else has to be told about it."""

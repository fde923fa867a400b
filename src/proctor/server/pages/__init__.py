"""The dashboard: pages in the browser over what the store holds. A page is one file in ``views`` and a template."""

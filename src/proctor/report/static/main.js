// Put the page together.

const page = JSON.parse(document.getElementById("page-data").textContent);
let drawer = null;
const table = new ResultsTable(page, (n) => drawer.open(n));
drawOverview(page, table, (n) => drawer.open(n));
table.draw();
drawRun(page);
drawer = new Drawer(page, table);
drawer.follow();

// Hides the rows whose text lacks one of the words in the box.
const box = document.getElementById("filter");
const rows = [...document.querySelectorAll("tr.row")].map(row => [row, row.textContent.toLowerCase()]);
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(word => word);
  let shown = 0;
  for (const [row, text] of rows) {
    const match = words.every(word => text.includes(word));
    row.classList.toggle("hidden", !match);
    shown += match;
  }
  document.getElementById("count").textContent = words.length ? `${shown} rows` : "";
});

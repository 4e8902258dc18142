// How this browser shows the judging screen: the text size, and which sections of its sidebar are open.
const SIZE_KEY = "jurypool size";
const sizes = document.getElementById("size");

function setSize(size) {
  document.documentElement.className = `read-${size}`;
  localStorage.setItem(SIZE_KEY, size);
}

for (const details of document.querySelectorAll(".topic details[id]")) {
  const key = `jurypool ${details.id}`;
  details.open = (localStorage.getItem(key) ?? String(details.open)) === "true";
  details.addEventListener("toggle", () => localStorage.setItem(key, details.open));
}
sizes.value = localStorage.getItem(SIZE_KEY) ?? "m";
sizes.addEventListener("change", ({ target }) => setSize(target.value));
setSize(sizes.value);

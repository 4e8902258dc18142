// How this browser shows the judging screen: size, face and width of the text, the theme, and which sections of the
// sidebar are open.
const SETTINGS = ["size", "face", "width", "theme"];
const root = document.documentElement;

function apply(name, value) {
  if (value) root.dataset[name] = value;
  else delete root.dataset[name];
}

for (const name of SETTINGS) {
  const field = document.getElementById(`reading-${name}`);
  const key = `jurypool reading ${name}`;
  field.value = localStorage.getItem(key) ?? "";
  apply(name, field.value);
  field.addEventListener("change", () => {
    localStorage.setItem(key, field.value);
    apply(name, field.value);
  });
}

for (const details of document.querySelectorAll(".topic details[id]")) {
  const key = `jurypool ${details.id}`;
  details.open = (localStorage.getItem(key) ?? String(details.open)) === "true";
  details.addEventListener("toggle", () => localStorage.setItem(key, details.open));
}

/** Return a button that does something on this page and sends no form. */
export function createButton(text, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = text;
  button.addEventListener("click", action);
  return button;
}

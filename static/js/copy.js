// Buttons that copy the text of an element: <button data-copy="#link" hidden>. Where the browser gives no access to the
// clipboard, such as on a page without HTTPS, the button selects the text for the keys of the browser.
async function copy(button) {
  const source = document.querySelector(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent.trim());
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = "Selected: press Ctrl+C or Cmd+C";
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

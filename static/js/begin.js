// A judge opened a shared topic and has none of its documents: take the next ones at once. Without this script the
// judge presses the button. The page is reloaded and the form not submitted, so that Back does not come here again.
const form = document.getElementById("begin");
const taken = await fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" });
if (taken.type === "opaqueredirect") location.reload();

// A judge opened a shared topic and has none of its documents: take the next ones at once. Without this script the
// judge presses the button.
document.getElementById("begin").requestSubmit();

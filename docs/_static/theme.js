// The theme that the reader chose on an earlier page; loaded before the page is painted.
document.body.dataset.theme = localStorage.getItem("theme") || "auto";

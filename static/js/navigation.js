// The campaign's navigation scrolls horizontally on a narrow screen: scroll the link of this page to its centre.
function showCurrent() {
  const current = document.querySelector(".steps [aria-current]");
  if (!current) return;
  const navigation = current.closest(".steps");
  const outer = navigation.getBoundingClientRect();
  const inner = current.getBoundingClientRect();
  navigation.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
}

showCurrent();
document.addEventListener("htmx:afterSettle", ({ detail }) => detail.boosted && showCurrent()); // the body is new

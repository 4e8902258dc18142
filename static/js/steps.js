// On a narrow screen the steps scroll sideways: the one that the page belongs to comes to the middle.
function show() {
  const here = document.querySelector(".steps [aria-current]");
  if (!here) return;
  const steps = here.closest(".steps"),
    [whole, part] = [steps, here].map((each) => each.getBoundingClientRect());
  steps.scrollLeft += part.left + part.width / 2 - (whole.left + whole.width / 2);
}

show();
document.addEventListener("htmx:afterSettle", ({ detail }) => detail.boosted && show()); // the whole page is new

// On a narrow screen the steps scroll sideways: the one that the page belongs to comes to the middle.
const here = document.querySelector(".steps [aria-current]");
if (here) {
  const steps = here.closest(".steps"), [whole, part] = [steps, here].map((each) => each.getBoundingClientRect());
  steps.scrollLeft += part.left + part.width / 2 - (whole.left + whole.width / 2);
}

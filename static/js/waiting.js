// My topics: labels that a closed tab left behind go out from here as well.
import { Outbox } from "./outbox.js";

const figure = document.getElementById("waiting");
if (figure) {
  const { judge, outbox: url } = figure.dataset;
  const show = () => (figure.textContent = outbox.waiting().length);
  const outbox = new Outbox({
    judge,
    url,
    compose: () => ({ judge: Number(judge), topic: "", have: [], want: 0 }),
    arrived: show,
    changed: show,
  });
  show();
  outbox.deliver();
}

// "My topics": counts the labels that this browser has not sent yet, for example after a closed tab, and sends them.
import { Outbox } from "./outbox.js";

const figure = document.getElementById("waiting");

function sendLabels({ judge, outbox: url }) {
  const showCount = () => (figure.textContent = outbox.listUnsent().length);
  const outbox = new Outbox({
    judge,
    url,
    describeRequest: () => ({ judge: Number(judge), topic: "", have: [], want: 0 }),
    onResponse: showCount,
    onChange: showCount,
  });
  showCount();
  outbox.deliver();
}

if (figure) sendLabels(figure.dataset);

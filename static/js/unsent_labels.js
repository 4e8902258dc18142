// "My topics": counts the labels that this browser has not sent yet, for example after a closed tab, and sends them.
// While the campaign takes no labels (data-paused) they stay in the browser. The page shows why a label was refused.
import { restoreComment } from "./drafts.js";
import { Outbox } from "./outbox.js";

const figure = document.getElementById("waiting");

function showProblems(fragment, labels) {
  for (const problem of fragment.querySelectorAll("[data-problem]")) {
    const label = labels.find(({ uuid }) => uuid === problem.parentNode.dataset.uuid);
    if (label) restoreComment(figure.dataset.judge, label);
    const line = document.createElement("p");
    line.className = "alert";
    line.textContent = problem.textContent;
    document.querySelector("main .head").after(line);
  }
}

function sendLabels({ judge, outbox: url, paused }) {
  const showCount = () => (figure.textContent = outbox.listUnsent().length);
  const outbox = new Outbox({
    judge,
    url,
    describeRequest: () => ({ judge: Number(judge), topic: "", have: [], want: 0 }),
    onResponse: showProblems,
    onChange: showCount,
  });
  showCount();
  if (paused !== undefined) outbox.deliver = () => {};
  outbox.deliver();
}

if (figure) sendLabels(figure.dataset);

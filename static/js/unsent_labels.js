// The pages beside the judging screen: count the labels, decisions or votes that this browser has not sent yet, for
// example after a closed tab, and send them. Each place for a count has data-unsent: the noun for a sentence, or
// nothing for the number alone. While the campaign takes no answers (data-paused) they stay in the browser. The page
// shows why an answer was refused.
import { describeUnsent } from "./card/words.js";
import { restoreComment } from "./drafts.js";
import { Outbox } from "./outbox.js";

function showProblems(judge, fragment, answers) {
  for (const problem of fragment.querySelectorAll("[data-problem]")) {
    const answer = answers.find(({ uuid }) => uuid === problem.closest("[data-uuid]")?.dataset.uuid);
    if (answer) restoreComment(judge, answer);
    const line = document.createElement("p");
    line.className = "alert";
    line.textContent = problem.textContent;
    document.querySelector("main .head").after(line);
  }
}

function sendAnswers(place) {
  const { judge, outbox: url, paused, unsent: noun } = place.dataset;
  const outbox = new Outbox({
    judge,
    url,
    describeRequest: () => ({ judge: Number(judge), topic: "", have: [], want: 0 }),
    onResponse: (fragment, answers) => showProblems(judge, fragment, answers),
    onChange: showCount,
  });
  function showCount() {
    const count = outbox.listUnsent().length;
    place.textContent = noun ? describeUnsent(count, outbox.error, noun) : count;
    if (noun) place.hidden = !count;
  }
  showCount();
  if (paused !== undefined) outbox.deliver = () => {};
  outbox.deliver();
}

for (const place of document.querySelectorAll("[data-unsent][data-outbox]")) sendAnswers(place);

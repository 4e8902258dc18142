// Sends files one by one, each with its own progress and answer, and takes files that are dropped on the page.
// The form names where to (data-report) and what on the page is then out of date (data-refresh, a list of selectors).
// Without this the form sends them all at once and the page reports.
const form = document.querySelector("form[data-report]");
const report = document.querySelector("#report, #document-report");

function setUp() {
  const files = form.querySelector("[type=file]");
  const drop = form.querySelector(".drop");
  drop.hidden = false;
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop") files.files = event.dataTransfer.files;
    });
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submitAll(files);
  });
}

async function submitAll(chooser) {
  const files = [...chooser.files],
    lost = new DataTransfer();
  const button = form.querySelector("button"),
    bar = form.querySelector("progress"),
    status = form.querySelector("[role=status]");
  report.querySelector(":scope > p")?.remove();
  report.querySelector("ul").replaceChildren();
  button.disabled = true;
  bar.hidden = false;
  for (const [done, file] of files.entries()) {
    const name = files.length > 1 ? `${file.name}, ${done + 1} of ${files.length}` : file.name;
    status.textContent = name;
    const arrived = await submitOne(chooser.name, file, (sent) => {
      if (sent < 1) {
        bar.value = (done + sent) / files.length;
        status.textContent = `${name}: ${Math.floor(100 * sent)} % sent`;
      } else {
        if (files.length === 1) bar.removeAttribute("value"); // how long reading takes is not known
        status.textContent = `${name}: sent, reading …`;
      }
    });
    if (!arrived) lost.items.add(file);
  }
  bar.hidden = true;
  status.textContent = "";
  button.disabled = false;
  chooser.files = lost.files; // what is left to submit
  await refresh();
  report.scrollIntoView({ block: "nearest" });
}

/** Bring the parts of the page up to date that say what is stored. */
async function refresh() {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  for (const selector of form.dataset.refresh.split(",")) {
    const old = document.querySelector(selector),
      fresh = page.querySelector(selector);
    if (!old || !fresh) continue;
    old.replaceWith(fresh);
    window.htmx?.process(fresh); // a job on it asks for itself again
  }
}

/** Send one file; its line of the report joins the page, or a line that says why. Returns whether it arrived. */
async function submitOne(field, file, tell) {
  const data = new FormData(form);
  data.set(field, file);
  const answer = await send(data, tell);
  const found = new DOMParser().parseFromString(answer, "text/html").getElementById(report.id);
  const list = report.querySelector("ul");
  report.hidden = false;
  if (!found) list.append(refusal(file, "did not arrive. Submit it again."));
  else list.append(...found.querySelectorAll("ul > li"));
  for (const error of found?.querySelectorAll(":scope > p") ?? []) {
    list.append(refusal(file, `refused. ${error.textContent.trim()}`));
  }
  return Boolean(found);
}

/** A line of the report about a file that the server stored nothing of. */
function refusal(file, words) {
  const line = document.getElementById("file-refused").content.firstElementChild.cloneNode(true);
  line.querySelector("b").textContent = file.name;
  line.querySelector("b").after(` ${words}`);
  return line;
}

/** Post the data; tell the share that is sent. The answer is empty when none came, or from another page. */
function send(data, tell) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest(); // fetch tells nothing of an upload's progress
    request.upload.addEventListener("progress", (event) => event.lengthComputable && tell(event.loaded / event.total));
    request.upload.addEventListener("load", () => tell(1));
    request.addEventListener("loadend", () => {
      const there = new URL(form.dataset.report, location.href).href;
      resolve(request.status === 200 && request.responseURL === there ? request.responseText : "");
    });
    request.open("POST", form.dataset.report);
    request.send(data);
  });
}

if (form) setUp();

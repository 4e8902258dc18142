// Uploads files one by one, with the progress and the report of each, and accepts files dropped on the page. The form
// names the URL of the report (data-report) and the parts of the page that an upload changes (data-refresh, a list of
// selectors). Without this script the form uploads all files in one request.
const form = document.querySelector("form[data-report]");
const report = document.querySelector("#run-report, #document-report");
const resubmitAll = document.querySelector("[data-resubmit-all]");
const OTHER_TAG = "[data-resubmit][data-field=tag_from]"; // buttons that take the tag from the file's name
const resubmissions = new Map(); // button of a row -> the function that uploads its file again

function prepareForm() {
  const input = form.querySelector("[type=file]");
  const drop = form.querySelector(".drop");
  drop.hidden = false;
  for (const type of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(type, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", type === "dragover");
      if (type === "drop") input.files = event.dataTransfer.files;
    });
  }
  resubmitAll?.addEventListener("click", () => resubmit([...report.querySelectorAll(OTHER_TAG)]));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    uploadAll(input);
  });
}

/** Upload a file again with another value of a field (data-field), when its row of the report offers that. */
function offerResubmission(field, file, lines) {
  for (const button of lines.flatMap((line) => [...line.querySelectorAll("[data-resubmit]")])) {
    resubmissions.set(button, async () => {
      button.disabled = true;
      const changed = { [button.dataset.field]: button.dataset.resubmit };
      const isSent = await uploadFile(field, file, createProgress(file, 0, 1), changed);
      form.querySelector("[role=status]").textContent = "";
      if (isSent) button.closest("li").remove();
      else button.disabled = false;
    });
    button.addEventListener("click", () => resubmit([button]));
  }
}

/** Upload the files of these buttons again, one after the other. */
async function resubmit(buttons) {
  if (resubmitAll) resubmitAll.hidden = true;
  for (const button of buttons) await resubmissions.get(button)();
  await refreshPage();
  offerAllResubmissions();
}

/** Show one button for all rows that offer another tag, when there are several. */
function offerAllResubmissions() {
  const buttons = report.querySelectorAll(OTHER_TAG);
  if (!resubmitAll) return;
  resubmitAll.hidden = buttons.length < 2;
  resubmitAll.textContent = `Store ${buttons.length} runs under the names of their files`;
}

/** Upload the files one after the other; those that fail stay in the input. */
async function uploadAll(input) {
  const files = [...input.files];
  const failed = new DataTransfer();
  const button = form.querySelector("button");
  const bar = form.querySelector("progress");
  report.querySelector(":scope > p")?.remove();
  report.querySelector("ul").replaceChildren();
  button.disabled = true;
  bar.hidden = false;
  for (const [index, file] of files.entries()) {
    const showProgress = createProgress(file, index, files.length);
    if (!(await uploadFile(input.name, file, showProgress))) failed.items.add(file);
  }
  bar.hidden = true;
  form.querySelector("[role=status]").textContent = "";
  button.disabled = false;
  input.files = failed.files;
  await refreshPage();
  offerAllResubmissions();
  report.scrollIntoView({ block: "nearest" });
}

/** Return a function that shows how much of a file is sent, as a share from 0 to 1. */
function createProgress(file, index, total) {
  const bar = form.querySelector("progress");
  const status = form.querySelector("[role=status]");
  const name = total > 1 ? `${file.name}, ${index + 1} of ${total}` : file.name;
  status.textContent = name;
  return (share) => {
    if (share < 1) {
      bar.value = (index + share) / total;
      status.textContent = `${name}: ${Math.floor(100 * share)} % sent`;
      return;
    }
    if (total === 1) bar.removeAttribute("value"); // the server's time to read the file is unknown
    status.textContent = `${name}: sent, reading …`;
  };
}

/** Replace the parts of the page that the form names in data-refresh. */
async function refreshPage() {
  const response = await fetch(location.href);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const selector of form.dataset.refresh.split(",")) {
    const oldPart = document.querySelector(selector);
    const newPart = page.querySelector(selector);
    if (!oldPart || !newPart) continue;
    oldPart.replaceWith(newPart);
    window.htmx?.process(newPart); // the part may show a job that htmx polls
    window.htmx?.trigger(newPart, "htmx:load"); // for its times and tables
  }
}

/**
 * Upload one file and add its lines to the report. Returns whether the server answered with a report.
 * changed: fields of the form that have another value for this file.
 */
async function uploadFile(field, file, showProgress, changed = {}) {
  const data = new FormData(form);
  data.set(field, file);
  for (const [name, value] of Object.entries(changed)) data.set(name, value);
  const html = await sendForm(data, showProgress);
  const answer = new DOMParser().parseFromString(html, "text/html").getElementById(report.id);
  const list = report.querySelector("ul");
  report.hidden = false;
  const lines = [...(answer?.querySelectorAll("ul > li") ?? [])];
  if (!answer) list.append(createErrorLine(file, "did not arrive. Submit it again."));
  offerResubmission(field, file, lines);
  list.append(...lines);
  for (const error of answer?.querySelectorAll(":scope > p") ?? []) {
    list.append(createErrorLine(file, `refused. ${error.textContent.trim()}`));
  }
  return Boolean(answer);
}

/** Return a line of the report about a file that the server has not stored. */
function createErrorLine(file, message) {
  const line = document.getElementById("file-refused").content.firstElementChild.cloneNode(true);
  line.querySelector("b").textContent = file.name;
  line.querySelector("b").after(` ${message}`);
  return line;
}

/**
 * Post the form. Returns the HTML of the response; an empty string after an error, or after a redirect to another
 * page. It uses XMLHttpRequest because fetch reports no progress of an upload.
 */
function sendForm(data, showProgress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) showProgress(event.loaded / event.total);
    });
    request.upload.addEventListener("load", () => showProgress(1));
    request.addEventListener("loadend", () => {
      const url = new URL(form.dataset.report, location.href).href;
      resolve(request.status === 200 && request.responseURL === url ? request.responseText : "");
    });
    request.open("POST", form.dataset.report);
    request.send(data);
  });
}

if (form) prepareForm();

// Submits run files one by one, each with its own answer, and takes files that are dropped on the page.
// Without it the form submits them all at once and the page reports.
const form = document.querySelector("form[data-report]");
const report = document.getElementById("report");

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
    submitAll([...files.files]);
  });
}

async function submitAll(files) {
  const button = form.querySelector("button"), bar = form.querySelector("progress"), status = form.querySelector("[role=status]");
  report.querySelector("ul").replaceChildren();
  button.disabled = true;
  bar.hidden = false;
  for (const [done, file] of files.entries()) {
    bar.value = done / files.length;
    status.textContent = `${done} of ${files.length} submitted`;
    await submitOne(file);
  }
  bar.hidden = true;
  status.textContent = "";
  button.disabled = false;
  await refresh();
  report.scrollIntoView({ block: "nearest" });
}

/** Bring the table of runs up to date with what was just stored. */
async function refresh() {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  document.getElementById("runs").replaceWith(page.getElementById("runs"));
}

/** Send one file; its line of the report joins the page, or a line that says why there is none. */
async function submitOne(file) {
  const data = new FormData(form);
  data.set("run_files", file);
  let answer = "";
  try {
    const response = await fetch(form.dataset.report, { method: "POST", body: data });
    answer = response.ok && !response.redirected ? await response.text() : "";
  } catch { /* no network: said below */ }
  const found = new DOMParser().parseFromString(answer, "text/html").querySelector("#report");
  const list = report.querySelector("ul");
  report.hidden = false;
  if (found) list.append(...found.querySelectorAll(":scope > p, ul > li"));
  else list.append(Object.assign(document.createElement("li"), { className: "want", textContent: `${file.name} did not arrive. Submit it again.` }));
}

if (form) setUp();

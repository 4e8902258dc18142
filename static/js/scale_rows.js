// The rows of a scale: adds, removes and fills rows. Without this script a form has ten rows, of which empty ones do
// not count, and a preset is a link.
import { createButton } from "./buttons.js";

const MIN_GRADES = 2;
const MAX_GRADES = 10;
const FIELDS = ["Value", "Name", "Definition", "Gain", "Example"];

function prepareEditor(editor) {
  const body = editor.querySelector("tbody");
  const state = { body, template: body.rows[0].cloneNode(true), id: body.querySelector("input").id };
  state.add = createButton("Add grade", () => {
    addRow(
      state,
      FIELDS.map(() => ""),
    );
    update(state);
    body.rows[body.rows.length - 1].querySelector("input").focus();
  });
  editor.querySelector("thead tr").append(document.createElement("td"));
  editor.append(state.add);
  fill(
    state,
    [...body.rows].map(readRow).filter((values) => values.some(Boolean)),
  );
  const presets = JSON.parse(editor.dataset.presets);
  for (const link of editor.querySelectorAll("[data-preset]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      fill(state, presets[link.dataset.preset]);
      editor.closest("form").elements.threshold.value = link.dataset.threshold;
    });
  }
}

const readRow = (row) => [...row.querySelectorAll("input")].map(({ value }) => value.trim());

function fill(state, grades) {
  state.body.replaceChildren();
  for (const values of grades) addRow(state, values);
  while (state.body.rows.length < MIN_GRADES)
    addRow(
      state,
      FIELDS.map(() => ""),
    );
  update(state);
}

function addRow(state, values) {
  const row = state.template.cloneNode(true);
  for (const [index, input] of row.querySelectorAll("input").entries()) input.value = values[index];
  const remove = createButton("Remove", () => {
    row.remove();
    update(state);
  });
  row.insertCell().append(remove);
  state.body.append(row);
}

/** Name the fields by their rows, and allow 2 to 10 rows. */
function update({ body, add, id }) {
  add.disabled = body.rows.length >= MAX_GRADES;
  for (const [place, row] of [...body.rows].entries()) {
    const inputs = [...row.querySelectorAll("input")];
    for (const [index, input] of inputs.entries()) {
      input.setAttribute("aria-label", `${FIELDS[index]}, row ${place + 1}`);
    }
    inputs[0].id = place ? "" : id;
    row.querySelector("button").disabled = body.rows.length <= MIN_GRADES;
    row.querySelector("button").setAttribute("aria-label", `Remove row ${place + 1}`);
  }
}

for (const editor of document.querySelectorAll(".scale-rows")) prepareEditor(editor);

// Writes the report to the page.

const report = JSON.parse(document.getElementById("report").textContent);
const layers = report.layers.map((layer, index) => ({ ...layer, index }));
for (const layer of layers) {
  if (layer.decibels === null) layer.decibels = Infinity;
  if (layer.heir !== undefined) layer.heir = layers[layer.heir];
}

function summarize() {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 2);
  const seconds = report.passes.reduce((sum, pass) => sum + pass.seconds, 0);
  const file = report.model.split("/").pop();
  document.title = `${file} - graft-quantize`;
  document.getElementById("model").textContent = file;
  document.getElementById("headline").textContent =
    `${report.model}, quantized for ${report.target}: of ${report.audit.length} operators with integer kernels, ` +
    `${report.fused} will run in integers.`;
  const facts = [
    ["target", report.target], ["placement", report.placement],
    ["will run in integers", `${report.fused} of ${report.audit.length}`],
    ["nodes", `${report.nodes_before} \u2192 ${report.nodes_after}`],
    ["Q/DQ pairs", String(report.pairs)],
    ["size", `${megabytes(report.bytes_before)} \u2192 ${megabytes(report.bytes_after)} MB`],
    ["passes", seconds.toFixed(2) + " s"],
  ];
  const outputs = report.analysis?.outputs;
  if (outputs) {
    const noise = outputs.decibels === null ? "no noise" : outputs.decibels.toFixed(1) + " dB";
    facts.push(["outputs against float", noise],
               ["agreement", percent(outputs.agreement)], ["cosine", number(outputs.cosine)]);
  }
  document.getElementById("facts").append(...facts.map(([what, value]) =>
    html("div", {}, html("dt", {}, what), html("dd", {}, value))));
  for (const pass of report.passes) {
    document.querySelector("#passes tbody").append(html("tr", {},
      html("th", { scope: "row" }, pass.pass), html("td", { class: "number" }, String(pass.changes)),
      html("td", { class: "number" }, `${pass.nodes_before} \u2192 ${pass.nodes_after}`),
      html("td", { class: "number" }, pass.seconds.toFixed(3)), html("td", {}, pass.notes.join("; "))));
  }
  document.getElementById("no-samples").hidden = layers.some((layer) => layer.histogram);
}

// The number of layers of each operator, by form.
function countOperators() {
  const kinds = Object.keys(states).filter((state) => state !== "end" && layers.some((layer) => layer.state === state));
  const operators = new Map();
  for (const layer of layers.filter((layer) => layer.state !== "end"))
    operators.set(layer.op, [...(operators.get(layer.op) ?? []), layer]);
  const row = (name, some) => html("tr", {}, html("th", { scope: "row" }, name),
    ...[...kinds.map((kind) => some.filter((layer) => layer.state === kind).length), some.length].map((count) =>
      html("td", { class: "number" }, count ? String(count) : "")));
  const show = (op) => {
    document.getElementById("operator").value = op;
    table.update();
    document.getElementById("layers").scrollIntoView();
  };
  document.querySelector("#operators thead tr").append(
    ...["operator", ...kinds.map((kind) => states[kind]), "all"].map((title, i) =>
      html("th", { scope: "col", class: i > 0 && "number" }, title)));
  document.querySelector("#operators tbody").append(
    ...[...operators].sort((a, b) => b[1].length - a[1].length).map(([op, some]) =>
      row(html("button", { type: "button", class: "link", click: () => show(op) }, op), some)));
  document.querySelector("#operators tfoot").append(row("all", [...operators.values()].flat()));
}

function describe(layer) {
  document.getElementById("chosen-title").textContent = layer.name ? `${layer.op} ${layer.name}` : called(layer);
  const grid = layer.activation;
  const where = grid && grid.tensor !== layer.tensor ? `, at ${grid.tensor}` : "";
  const facts = [];
  if (layer.range) facts.push(`range ${number(layer.range[0])} to ${number(layer.range[1])}`);
  if (grid) facts.push(`${grid.dtype}, scale ${number(grid.scale)}, zero point ${grid.zero_point}${where}`);
  if (layer.decibels !== undefined) facts.push(`signal-to-noise ${number(layer.decibels)} dB`);
  document.getElementById("verdict").replaceChildren(
    ...explanation(layer), facts.length ? ` \u2013 ${facts.join("; ")}. ` : " ",
    html("button", { type: "button", class: "link",
                     click: () => document.getElementById("graph").scrollIntoView({ block: "start" }) },
         "Show it in the graph"));
  const charts = [];
  const tensor = grid ? grid.tensor : layer.tensor;
  if (layer.histogram)
    charts.push(histogram(`Values of ${tensor}`, layer.histogram, grid ?? null));
  else if (layer.range)
    charts.push(rangeChart(`Range of ${tensor}`, layer.range, grid ?? null));
  const weight = layer.weight;
  if (weight) {
    const middle = { scale: 1, zero_point: 0, low: weight.low, high: weight.high };
    const title = weight.channels ? `Weights, in steps of their channel's scale (${weight.channels} channels, ` +
                                    `${number(weight.scale[0])} to ${number(weight.scale[1])})`
                                  : `Weights, in steps of ${number(weight.scale[0])}`;
    charts.push(histogram(title, { first: weight.low - 0.5, width: 1, counts: weight.counts }, middle));
  }
  if (layer.float_weight) charts.push(histogram("Weights", layer.float_weight, null));
  if (!charts.length) charts.push(html("p", {}, "There is no histogram of this tensor."));
  document.getElementById("charts").replaceChildren(...charts);
}

let table, pictures;
function choose(index, from) {
  table.select(index);
  describe(layers[index]);
  for (const picture of pictures) if (picture.element.isConnected) picture.select(layers[index]);
  chosen = index;
  if (from === "graph") document.getElementById("chosen").scrollIntoView({ block: "nearest" });
}
let chosen = null;

function showPictures() {
  const view = document.querySelector("input[name=view]:checked").value;
  const [before, after] = pictures;
  const shown = { before: [before], after: [after], both: [before, after] }[view];
  document.getElementById("pictures").replaceChildren(...shown.map((picture) => picture.element));
  for (const picture of shown) picture.select(chosen === null ? null : layers[chosen]);
}

function start() {
  summarize();
  countOperators();
  table = new Table(layers, (index) => choose(index, "table"));
  const picture = (title, graph) => new Picture(title, graph, layers, (index) => choose(index, "graph"));
  pictures = [picture("Float", report.graphs.before), picture("Quantized", report.graphs.after)];
  const legend = { integer: "computed in integers", within: "part of such a kernel", quantizer: "Q or DQ",
                   kept: "kept in float", float: "float", refused: "not fused", merged: "rewritten by earlier passes",
                   end: "input or output" };
  const there = (kind) => kind === "quantizer" || layers.some((layer) => layer.state === kind);
  for (const [kind, text] of Object.entries(legend).filter(([kind]) => there(kind)))
    document.getElementById("legend").append(html("li", {}, html("span", { class: "badge " + kind }, text)));
  const wide = window.innerWidth > 900;
  document.querySelector(`input[name=view][value=${wide ? "both" : "after"}]`).checked = true;
  document.getElementById("view").addEventListener("change", showPictures);
  showPictures();
}
start();

// What the report holds, put on the page.

const report = JSON.parse(document.getElementById("report").textContent);
const layers = report.layers.map((layer, index) => ({ ...layer, index }));
for (const layer of layers) if (layer.decibels === null) layer.decibels = Infinity;

function summarize() {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 2) + " MB";
  const seconds = report.passes.reduce((sum, pass) => sum + pass.seconds, 0);
  const file = report.model.split("/").pop();
  document.title = `${file} - graft-quantize`;
  document.getElementById("model").textContent = file;
  document.getElementById("headline").textContent =
    `Quantized for ${report.target}: ${report.fused} of ${report.audit.length} operators will run in integers.`;
  const facts = [
    ["target", report.target, true], ["placement", report.placement, true],
    ["will run in integers", `${report.fused} of ${report.audit.length}`, true],
    ["nodes", `${report.nodes_before} \u2192 ${report.nodes_after}`, true],
    ["Q/DQ pairs", String(report.pairs), true],
    ["size", `${megabytes(report.bytes_before)} \u2192 ${megabytes(report.bytes_after)}`, true],
    ["passes", seconds.toFixed(2) + " s", true],
  ];
  const outputs = report.analysis?.outputs;
  if (outputs) {
    const noise = outputs.decibels === null ? "no noise" : outputs.decibels.toFixed(1) + " dB";
    facts.push(["outputs against float", noise, true],
               ["agreement", `${percent(outputs.top1)} top-1, cosine ${number(outputs.cosine)}`, true]);
  }
  for (const element of facts) {
    document.getElementById("facts").append(
      html("div", {}, html("dt", {}, element[0]), html("dd", { class: element[2] && "large" }, element[1])));
  }
  document.getElementById("facts").append(
    html("div", { class: "wide" }, html("dt", {}, "model"), html("dd", {}, html("code", {}, report.model))));
  for (const pass of report.passes) {
    document.querySelector("#passes tbody").append(html("tr", {},
      html("th", { scope: "row" }, pass.pass), html("td", { class: "number" }, String(pass.changes)),
      html("td", { class: "number" }, `${pass.nodes_before} \u2192 ${pass.nodes_after}`),
      html("td", { class: "number" }, pass.seconds.toFixed(3)), html("td", {}, pass.notes.join("; "))));
  }
  document.getElementById("no-samples").hidden = Object.keys(report.histograms).length > 0;
}

function describe(layer) {
  document.getElementById("chosen-title").textContent = `${layer.op} ${layer.name}`;
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
  if (Object.hasOwn(report.histograms, tensor))
    charts.push(histogram(`Values of ${tensor}`, report.histograms[tensor], grid ?? null));
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
  if (!charts.length) charts.push(html("p", {}, "There is no histogram of it."));
  document.getElementById("charts").replaceChildren(...charts);
}

let table, pictures;
function choose(index, from) {
  table.select(index);
  describe(layers[index]);
  for (const picture of pictures) if (picture.element.isConnected) picture.select(index);
  chosen = index;
  if (from === "graph") document.getElementById("chosen").scrollIntoView({ block: "nearest" });
}
let chosen = null;

function showPictures() {
  const view = document.querySelector("input[name=view]:checked").value;
  const [before, after] = pictures;
  const shown = { before: [before], after: [after], both: [before, after] }[view];
  document.getElementById("pictures").replaceChildren(...shown.map((picture) => picture.element));
  for (const picture of shown) picture.select(chosen);
}

function start() {
  summarize();
  table = new Table(layers, (index) => choose(index, "table"));
  const picture = (title, graph) => new Picture(title, graph, layers, (index) => choose(index, "graph"));
  pictures = [picture("Float", report.graphs.before), picture("Quantized", report.graphs.after)];
  const legend = { integer: "computed in integers", within: "vanishes into such a kernel", quantizer: "Q or DQ",
                   float: "in float", refused: "not fused", end: "input or output" };
  for (const [kind, text] of Object.entries(legend))
    document.getElementById("legend").append(html("li", {}, html("span", { class: "badge " + kind }, text)));
  const wide = window.innerWidth > 900;
  document.querySelector(`input[name=view][value=${wide ? "both" : "after"}]`).checked = true;
  document.getElementById("view").addEventListener("change", showPictures);
  showPictures();
}
start();

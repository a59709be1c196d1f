// The layers, one row each, sorted and filtered.

const states = { integer: "integers", within: "within a kernel", refused: "not fused", kept: "kept in float",
                 float: "float", merged: "rewritten", end: "input" };

const columns = [
  { title: "#", value: (layer) => layer.index, numeric: true, text: (layer) => String(layer.index + 1) },
  { title: "operator", value: (layer) => layer.op },
  { title: "name", value: (layer) => layer.name, heads: true },
  { title: "min", value: (layer) => layer.range?.[0], numeric: true },
  { title: "max", value: (layer) => layer.range?.[1], numeric: true },
  { title: "scale", value: (layer) => layer.activation?.scale, numeric: true },
  { title: "zero point", value: (layer) => layer.activation?.zero_point, numeric: true },
  { title: "dtype", value: (layer) => layer.activation?.dtype },
  { title: "weights", value: (layer) => layer.weight?.bits,
    text: ({ weight }) => (weight ? `${weight.bits} bits, ${weight.channels ? "per channel" : "per tensor"}` : "") },
  { title: "dB", value: (layer) => layer.decibels, numeric: true,
    text: ({ decibels: db }) => (db === undefined ? "" : db === Infinity ? number(db) : db.toFixed(1)) },
  { title: "runs as", value: (layer) => states[layer.state] + reason(layer), explains: true },
];

const called = (layer) => layer.name || `${layer.op} of ${layer.tensor}`;
const reason = (layer) =>
  layer.within ?? layer.heir?.name ?? (layer.code ? `${layer.code} ${layer.text}` : "");

function explanation(layer) {
  const parts = [html("span", { class: "badge " + layer.state }, states[layer.state])];
  if (layer.within) parts.push(` of ${layer.within}`);
  if (layer.code) parts.push(" ", html("code", {}, layer.code), `: ${layer.text}`);
  if (layer.remedy) parts.push(` (${layer.remedy})`);
  if (layer.heir) parts.push(` by earlier passes, see ${called(layer.heir)}`);
  return parts;
}

class Table {
  constructor(layers, choose) {
    this.layers = layers;
    this.body = document.querySelector("#table tbody");
    this.rows = layers.map((layer) => this.row(layer, choose));
    this.sorted = { column: 0, ascending: true };
    this.heads = columns.map((column, i) =>
      html("th", { scope: "col", class: column.numeric && "number" },
           html("button", { type: "button", click: () => this.sort(i) }, column.title)));
    document.querySelector("#table thead tr").append(...this.heads);
    for (const op of [...new Set(layers.map((layer) => layer.op))].sort())
      document.getElementById("operator").append(html("option", { value: op }, op));
    for (const [state, text] of Object.entries(states))
      document.getElementById("state").append(html("option", { value: state }, text));
    const filters = document.getElementById("filters");
    filters.addEventListener("input", () => this.update());
    filters.addEventListener("submit", (event) => event.preventDefault());
    this.update();
  }

  row(layer, choose) {
    const cells = columns.map((column) => {
      if (column.heads)
        return html("th", { scope: "row" }, html("button", { type: "button", class: "link" }, called(layer)));
      if (column.explains) return html("td", { class: "reason" }, ...explanation(layer));
      const value = column.value(layer);
      const text = column.text ? column.text(layer) : column.numeric ? number(value) : value ?? "";
      return html("td", { class: column.numeric && "number" }, text);
    });
    return html("tr", { "data-layer": layer.index, click: () => choose(layer.index) }, ...cells);
  }

  sort(column) {
    const again = this.sorted.column === column;
    this.sorted = { column, ascending: again ? !this.sorted.ascending : true };
    this.update();
  }

  // Rows without a value come last in both orders.
  update() {
    const { column, ascending } = this.sorted, value = columns[column].value;
    const [words, op, state] = ["words", "operator", "state"].map((id) => document.getElementById(id).value);
    const wanted = words.toLowerCase();
    const shown = this.layers.filter((layer) =>
      (!op || layer.op === op) && (!state || layer.state === state) &&
      `${layer.name} ${layer.tensor} ${reason(layer)}`.toLowerCase().includes(wanted));
    const empty = (v) => v === undefined || v === null || v === "";
    shown.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (empty(x) || empty(y)) return empty(x) - empty(y);
      return (x < y ? -1 : x > y ? 1 : 0) * (ascending ? 1 : -1);
    });
    this.body.replaceChildren(...shown.map((layer) => this.rows[layer.index]));
    this.heads.forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    document.getElementById("shown").textContent = `${shown.length} of ${this.layers.length}`;
  }

  select(index) {
    this.body.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const row = this.rows[index], holder = row.closest(".tall");
    row.setAttribute("aria-current", "true");
    if (!holder) return;  // filtered out
    const [inner, outer] = [row.getBoundingClientRect(), holder.getBoundingClientRect()];
    const head = this.heads[0].offsetHeight;
    if (inner.top < outer.top + head || inner.bottom > outer.bottom)
      holder.scrollTop += inner.top - outer.top - holder.clientHeight / 3;
  }
}

// The frequency of values, over the grid to which they are rounded.

const chart = { width: 640, height: 260, left: 46, right: 8, top: 8, bottom: 28 };

function ticks(low, high, most) {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
  const all = [];
  for (let n = Math.ceil(low / step); n * step <= high && all.length <= most + 1; ++n) all.push(n * step);
  return all;
}

// bins: {first, width, counts}; grid: {scale, zero_point, low, high} or null; view: "all", "grid" or "zero".
function drawHistogram(bins, grid, view, logarithmic, counted = true) {
  const end = bins.first + bins.width * bins.counts.length;
  const edges = grid && [grid.low, grid.high].map((q) => (q - grid.zero_point) * grid.scale);
  let [low, high] = [Math.min(bins.first, edges ? edges[0] : 0), Math.max(end, edges ? edges[1] : 0)];
  if (grid && view === "grid") [low, high] = [edges[0] - grid.scale, edges[1] + grid.scale];
  if (grid && view === "zero") {
    const first = Math.max(grid.low, Math.min(grid.zero_point - 16, grid.high - 32)) - grid.zero_point;
    [low, high] = [(first - 0.5) * grid.scale, (first + 32.5) * grid.scale];
  }
  if (!(high > low)) [low, high] = [low - 1, high + 1];
  const inner = chart.width - chart.left - chart.right, floor = chart.height - chart.bottom;
  const x = (value) => chart.left + ((value - low) / (high - low)) * inner;
  const at = (value) => Math.min(Math.max(x(value), chart.left), chart.width - chart.right).toFixed(1);

  const most = Math.max(1, ...bins.counts);
  const height = (count) => (logarithmic ? Math.log1p(count) / Math.log1p(most) : count / most);
  const y = (count) => (floor - height(count) * (floor - chart.top)).toFixed(1);
  let bars = "";
  bins.counts.forEach((count, i) => {
    const from = bins.first + i * bins.width;
    if (count && from + bins.width > low && from < high)
      bars += `M${at(from)} ${floor}V${y(count)}H${at(from + bins.width)}V${floor}Z`;
  });

  const svg = drawn("svg", { viewBox: `0 0 ${chart.width} ${chart.height}`, role: "img" });
  if (grid) {
    svg.append(drawn("rect", { class: "clip", x: at(edges[0]), y: chart.top, height: floor - chart.top,
                               width: Math.max(0, at(edges[1]) - at(edges[0])) }));
  }
  svg.append(drawn("path", { class: "bars", d: bars }));
  if (grid && x(grid.scale) - x(0) >= 4) {
    let levels = "";
    for (let q = grid.low; q <= grid.high; ++q) {
      const value = (q - grid.zero_point) * grid.scale;
      if (value >= low && value <= high) levels += `M${at(value)} ${chart.top}V${floor}`;
    }
    svg.append(drawn("path", { class: "levels", d: levels }));
  }
  svg.append(drawn("path", { class: "axis", d: `M${chart.left} ${chart.top}V${floor}H${chart.width - chart.right}` }));
  for (const value of ticks(low, high, 8)) {
    svg.append(drawn("path", { class: "axis", d: `M${at(value)} ${floor}v4` }));
    svg.append(drawn("text", { x: at(value), y: floor + 17, "text-anchor": "middle" }, number(value)));
  }
  const marks = logarithmic ? [0, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].filter((c) => c <= most)
                            : ticks(0, most, 4).filter(Number.isInteger);
  for (const count of counted ? marks : []) {
    const text = count >= 1e5 ? count.toExponential(0).replace("+", "") : String(count);
    svg.append(drawn("text", { x: chart.left - 6, y: +y(count) + 4, "text-anchor": "end" }, text));
  }
  return svg;
}

// Describes the picture in words.
function describeHistogram(bins, grid) {
  const total = bins.counts.reduce((sum, count) => sum + count, 0);
  if (!grid) return `${total} values, which are not quantized.`;
  const [low, high] = [grid.low - 0.5, grid.high + 0.5].map((q) => (q - grid.zero_point) * grid.scale);
  let clipped = 0;
  const used = new Set();
  bins.counts.forEach((count, i) => {
    const middle = bins.first + (i + 0.5) * bins.width;
    if (middle < low || middle > high) clipped += count;
    else if (count) used.add(Math.round(middle / grid.scale));
  });
  const bits = Math.log2(grid.high - grid.low + 1);
  const fine = bins.width <= grid.scale ? ` About ${used.size} levels are used.` : "";
  return `${total} values on ${grid.high - grid.low + 1} levels (${number(bits)} bits), ${number(grid.scale)} apart. ` +
    `Clipped: ${percent(total ? clipped / total : 0)}.${fine}`;
}

function histogram(title, bins, grid) {
  const caption = html("figcaption", {}, describeHistogram(bins, grid));
  const holder = html("div");
  const view = html("select", { "aria-label": "Part of the values" }, html("option", { value: "all" }, "all values"));
  if (grid) {
    view.append(html("option", { value: "grid" }, "range of the grid"),
                html("option", { value: "zero" }, "32 levels beside 0"));
  }
  const logarithmic = html("input", { type: "checkbox", checked: "" });
  const draw = () => {
    const svg = drawHistogram(bins, grid, view.value, logarithmic.checked);
    svg.setAttribute("aria-label", `${title}: ${caption.textContent}`);
    holder.replaceChildren(svg);
  };
  view.addEventListener("change", draw);
  logarithmic.addEventListener("change", draw);
  draw();
  return html("figure", { class: "chart" }, html("strong", {}, title),
              html("div", { class: "controls" }, view, html("label", {}, logarithmic, " counts by logarithm")),
              holder, caption);
}

// For tensors of which only the range is known.
function rangeChart(title, [least, greatest], grid) {
  const bins = { first: least, width: greatest - least, counts: [1] };
  const text = `${number(least)} to ${number(greatest)}` +
    (grid ? ` on ${grid.high - grid.low + 1} levels, ${number(grid.scale)} apart.` : ", not quantized.");
  const svg = drawHistogram(bins, grid, "all", false, false);
  svg.setAttribute("aria-label", `${title}: ${text}`);
  return html("figure", { class: "chart" }, html("strong", {}, title), svg, html("figcaption", {}, text));
}

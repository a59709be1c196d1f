// What html_test.py puts at the end of a copy of the page: does what a reader would, leaves in #probe what came of it.
{
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const text = (element) => element?.textContent ?? null;
  const found = {
    title: text(document.querySelector("h1")),
    rows: all("#table tbody tr").map((row) => ({
      op: text(row.cells[1]), name: text(row.cells[2]), bits: text(row.cells[8]),
      badge: text(row.querySelector(".badge")), reason: text(row.querySelector(".reason")),
    })),
    operators: all("#operators tbody tr").map((row) => [...row.cells].map(text)),
    pictures: all(".picture").map((picture) => ({
      nodes: all(".node", picture).map((node) => text(node.querySelector("title"))),
      edges: picture.querySelector(".edges").getAttribute("d").split("M").length - 1,
      visible: picture.querySelector(".node").getBoundingClientRect().width > 0,
    })),
    elements: all("script, img, iframe, link").length,
    harm: window.harm ?? null,
    zooms: [],
    layers: [],
  };

  const svg = document.querySelector(".picture svg"), box = svg.getBoundingClientRect();
  const scene = () => svg.querySelector("g").getAttribute("transform");
  const shift = (act) => {
    const before = scene();
    act();
    found.zooms.push([before, scene()]);
  };
  const wheel = (deltaY) => svg.dispatchEvent(new WheelEvent("wheel", {
    deltaY, clientX: box.left + 100, clientY: box.top + 50, bubbles: true, cancelable: true }));
  shift(() => wheel(-240));
  shift(() => wheel(240));
  shift(() => document.querySelector("[aria-label='zoom in']").click());
  shift(() => svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", cancelable: true })));
  shift(() => document.querySelector("[aria-label='show the whole graph']").click());

  for (const row of all("#table tbody tr")) {
    row.click();
    const charts = all("#charts figure").map((chart) => {
      const part = chart.querySelector("select");
      const length = (selector) => (chart.querySelector(selector)?.getAttribute("d") ?? "").split("M").length - 1;
      const drawn = { title: text(chart.querySelector("strong")), bars: length(".bars"),
                      grid: +chart.querySelector(".clip")?.getAttribute("width") };
      if (part && part.options.length > 1) {
        part.value = "zero";
        part.dispatchEvent(new Event("change"));
        drawn.levels = length(".levels");
      }
      return drawn;
    });
    const current = all("tr[aria-current]").length;
    found.layers.push({ title: text(document.getElementById("chosen-title")), current, charts,
                        nodes: all(".picture .chosen").length });
  }

  const words = document.getElementById("words");
  words.value = "no layer is called this";
  words.dispatchEvent(new Event("input", { bubbles: true }));
  found.filtered = all("#table tbody tr").length;
  found.resources = performance.getEntriesByType("resource").map((entry) => entry.name);
  const left = document.createElement("pre");
  left.id = "probe";
  left.textContent = JSON.stringify(found);
  document.body.append(left);
}

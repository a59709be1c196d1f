// A graph that can be moved and zoomed. Its nodes link to layers.

class Picture {
  constructor(title, graph, layers, choose) {
    this.graph = graph;
    this.layers = layers;
    this.choose = choose;
    this.scene = drawn("g");
    this.svg = drawn("svg", { tabindex: 0, role: "img", "aria-label": `${title}: ${graph.nodes.length} nodes` },
                     this.scene);
    const button = (text, label, act) => html("button", { type: "button", "aria-label": label, click: act }, text);
    this.element = html("figure", { class: "picture" },
      html("figcaption", {}, html("span", {}, `${title}: ${graph.nodes.length} nodes`),
           button("+", "zoom in", () => this.zoom(1.4)), button("\u2212", "zoom out", () => this.zoom(1 / 1.4)),
           button("all", "show the whole graph", () => this.fit(0))),
      this.svg);
    this.follow();
  }

  // The layout is computed when the picture is first shown.
  show() {
    if (!this.plan) this.draw();
    if (!this.scale && this.svg.clientWidth) this.fit(0.6);
  }

  draw() {
    this.plan = layout(this.graph.nodes.length, this.graph.edges);
    const curve = (points) => {
      let d = "";
      points.forEach(([x, y], i) => {
        const from = i === 0 ? y + nodeHeight / 2 : y, to = i === points.length - 1 ? y - nodeHeight / 2 : y;
        if (i === 0) d = `M${x.toFixed(1)} ${from}`;
        else {
          const [px, py] = points[i - 1], start = i === 1 ? py + nodeHeight / 2 : py, middle = (start + to) / 2;
          d += `C${px.toFixed(1)} ${middle} ${x.toFixed(1)} ${middle} ${x.toFixed(1)} ${to}`;
        }
      });
      return d;
    };
    this.routes = this.plan.routes.map(({ from, to, points }) => ({ from, to, d: curve(points) }));
    this.near = drawn("path", { class: "near" });
    this.nodes = this.graph.nodes.map((node, i) => this.box(node, i));
    this.scene.replaceChildren(drawn("path", { class: "edges", d: this.routes.map((route) => route.d).join("") }),
                               this.near, ...this.nodes);
  }

  box(node, i) {
    const [x, y] = this.plan.points[i], name = node.name || (this.layers[node.layer]?.name ?? "");
    const short = (text, most) => (text.length > most ? "\u2026" + text.slice(1 - most) : text);
    return drawn("g", { class: "node " + node.kind, "data-node": i, transform: `translate(${x.toFixed(1)} ${y})` },
      drawn("title", {}, `${node.op} ${name}`),
      drawn("rect", { x: -nodeWidth / 2, y: -nodeHeight / 2, width: nodeWidth, height: nodeHeight,
                      rx: node.kind === "quantizer" || node.kind === "end" ? nodeHeight / 2 : 4 }),
      drawn("text", { y: -2 }, short(node.op, 18)), drawn("text", { class: "name", y: 11 }, short(name, 22)));
  }

  place(x, y, scale) {
    Object.assign(this, { x, y, scale });
    this.scene.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`);
    this.svg.classList.toggle("far", scale < 0.5);
    this.svg.classList.toggle("tiny", scale < 0.25);  // where only colours are visible
  }
  size() {
    return [this.svg.clientWidth || 600, this.svg.clientHeight || 500];
  }
  // Shows the whole graph, or its top if the whole would be too small.
  fit(least) {
    const [width, height] = this.size(), margin = 16;
    const whole = Math.min((width - margin) / this.plan.width, (height - margin) / this.plan.height, 1.5);
    const scale = Math.max(whole, least);
    const spare = height - this.plan.height * scale;
    const first = this.plan.points[0] ?? [0, 0];
    const x = this.plan.width * scale <= width ? (width - this.plan.width * scale) / 2 : width / 2 - first[0] * scale;
    this.place(x, spare > 0 ? spare / 2 : margin / 2, scale);
  }
  zoom(factor, centre = this.size().map((side) => side / 2)) {
    const scale = Math.min(Math.max(this.scale * factor, 0.005), 4), by = scale / this.scale;
    this.place(centre[0] - (centre[0] - this.x) * by, centre[1] - (centre[1] - this.y) * by, scale);
  }

  select(layer) {
    this.show();
    const chosen = [];
    this.graph.nodes.forEach((node, i) => {
      const is = layer !== null && (node.layer === layer.index || node.layer === layer.heir?.index);
      this.nodes[i].classList.toggle("chosen", is);
      if (is) chosen.push(i);
    });
    const set = new Set(chosen);
    this.near.setAttribute("d", this.routes.filter((r) => set.has(r.from) || set.has(r.to)).map((r) => r.d).join(""));
    if (!chosen.length) return;
    const [width, height] = this.size(), [x, y] = this.plan.points[chosen[0]], scale = Math.max(this.scale || 0, 0.6);
    this.place(width / 2 - x * scale, height / 2 - y * scale, scale);
  }

  follow() {
    const held = new Map();
    let moved = 0;
    const position = (event) => {
      const box = this.svg.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const on = (name, act, options) => this.svg.addEventListener(name, act, options);
    on("pointerdown", (event) => {
      if (!held.size) moved = 0;
      held.set(event.pointerId, position(event));
    });
    on("pointermove", (event) => {
      if (!held.has(event.pointerId)) return;
      const before = held.get(event.pointerId), now = position(event);
      const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
      moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (moved > 4) this.svg.setPointerCapture(event.pointerId);  // not earlier, or the picture would get the clicks
      held.set(event.pointerId, now);
      const reach = (point) => Math.max(1, Math.hypot(point[0] - other[0], point[1] - other[1]));
      if (other) this.zoom(reach(now) / reach(before), other);
      else this.place(this.x + now[0] - before[0], this.y + now[1] - before[1], this.scale);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) on(end, (event) => held.delete(event.pointerId));
    on("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), position(event));
    }, { passive: false });
    on("keydown", (event) => {
      const step = 60;
      const acts = {
        "+": () => this.zoom(1.4), "=": () => this.zoom(1.4), "-": () => this.zoom(1 / 1.4), 0: () => this.fit(0),
        ArrowLeft: () => this.place(this.x + step, this.y, this.scale),
        ArrowRight: () => this.place(this.x - step, this.y, this.scale),
        ArrowUp: () => this.place(this.x, this.y + step, this.scale),
        ArrowDown: () => this.place(this.x, this.y - step, this.scale),
      };
      if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      acts[event.key]();
    });
    on("click", (event) => {
      const node = event.target.closest("[data-node]");
      const layer = node && moved <= 4 ? this.graph.nodes[node.dataset.node].layer : null;
      if (layer !== null && layer !== undefined) this.choose(layer);
    });
  }
}

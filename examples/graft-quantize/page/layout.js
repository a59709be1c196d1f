// The positions of nodes of an acyclic graph: layers by the longest path, order by barycenters, coordinates by least
// squares. Nodes are numbered in topological order; edges are [from, to]. O(n log n) for n nodes, edges and bends.

const nodeWidth = 132, nodeHeight = 34, layerHeight = 58, mostBends = 64;

function layersOf(count, edges) {
  const layer = new Int32Array(count);
  for (const [from, to] of edges) layer[to] = Math.max(layer[to], layer[from] + 1);
  const earliest = new Int32Array(count).fill(-1);  // the earliest reader of a node without inputs
  const reached = new Set(edges.map((edge) => edge[1]));
  for (const [from, to] of edges)
    if (!reached.has(from)) earliest[from] = earliest[from] < 0 ? layer[to] : Math.min(earliest[from], layer[to]);
  for (let i = 0; i < count; ++i) if (earliest[i] > 0) layer[i] = earliest[i] - 1;
  return Array.from(layer);
}

// Long edges get a bend in each layer, which edges of one node share; very long edges are straight.
function withBends(layer, edges) {
  const bends = new Map();
  const chains = edges.map(([from, to]) => {
    const chain = [from];
    const span = layer[to] - layer[from];
    for (let l = 1; span <= mostBends && l < span; ++l) {
      const key = from + " " + l;
      if (!bends.has(key)) bends.set(key, layer.push(layer[from] + l) - 1);
      chain.push(bends.get(key));
    }
    return chain.concat(to);
  });
  return chains;
}

// The least sum of weighted squares of x - wanted, with at least these gaps: isotonic regression by pooling.
function placed(wanted, weights, gaps) {
  const pools = [];
  let shift = 0;
  const shifts = wanted.map((_, i) => (shift += i > 0 ? gaps[i - 1] : 0));
  wanted.forEach((x, i) => {
    let pool = { sum: (x - shifts[i]) * weights[i], weight: weights[i], count: 1 };
    while (pools.length && pools.at(-1).sum / pools.at(-1).weight > pool.sum / pool.weight) {
      const last = pools.pop();
      pool = { sum: last.sum + pool.sum, weight: last.weight + pool.weight, count: last.count + pool.count };
    }
    pools.push(pool);
  });
  return pools.flatMap((pool) => new Array(pool.count).fill(pool.sum / pool.weight)).map((y, i) => y + shifts[i]);
}

function layout(count, edges) {
  edges = [...edges].sort((a, b) => a[1] - b[1] || a[0] - b[0]);
  const layer = layersOf(count, edges);
  const chains = withBends(layer, edges);
  const above = layer.map(() => []), below = layer.map(() => []);
  const seen = new Set();
  for (const chain of chains) {
    for (let i = 1; i < chain.length; ++i) {
      const [a, b] = [chain[i - 1], chain[i]];
      if (layer[b] - layer[a] !== 1 || seen.has(a + " " + b)) continue;
      seen.add(a + " " + b);
      below[a].push(b);
      above[b].push(a);
    }
  }
  const rows = [];
  layer.forEach((l, i) => (rows[l] ??= []).push(i));
  for (let l = 0; l < rows.length; ++l) rows[l] ??= [];
  const x = new Float64Array(layer.length);
  const mean = (i, ...sides) => {
    const near = sides.flatMap((side) => side[i]);
    return near.length ? near.reduce((sum, j) => sum + x[j], 0) / near.length : x[i];
  };
  const sweep = (down, visit) => (down ? rows : [...rows].reverse()).forEach(visit);
  for (const row of rows) row.forEach((i, place) => (x[i] = place));
  for (let round = 0; round < 8; ++round) {
    sweep(round % 2 === 0, (row) => {
      const at = new Map(row.map((i) => [i, mean(i, round % 2 === 0 ? above : below)]));
      row.sort((a, b) => at.get(a) - at.get(b));
      row.forEach((i, place) => (x[i] = place - (row.length - 1) / 2));
    });
  }
  const width = (i) => (i < count ? nodeWidth : 14);
  for (const row of rows) row.forEach((i) => (x[i] *= nodeWidth + 16));
  for (let round = 0; round < 9; ++round) {
    const sides = round === 8 ? [above, below] : round % 2 === 0 ? [above] : [below];
    sweep(round % 2 === 0, (row) => {
      const gaps = row.slice(1).map((i, k) => (width(i) + width(row[k])) / 2 + 14);
      const weights = row.map((i) => (i < count ? 1 : 4));
      placed(row.map((i) => mean(i, ...sides)), weights, gaps).forEach((place, k) => (x[row[k]] = place));
    });
  }
  let left = Infinity, right = -Infinity;
  for (const place of x) (left = Math.min(left, place)), (right = Math.max(right, place));
  const point = (i) => [x[i] - left + nodeWidth / 2, layer[i] * layerHeight + nodeHeight / 2];
  return {
    points: Array.from({ length: count }, (_, i) => point(i)),
    routes: edges.map(([from, to], e) => ({ from, to, points: chains[e].map(point) })),
    width: count ? right - left + nodeWidth : 0,
    height: Math.max(0, rows.length - 1) * layerHeight + nodeHeight,
  };
}

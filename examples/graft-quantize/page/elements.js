// Makes elements; their text is never parsed as HTML.

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const drawn = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(document.getElementById("blank").namespaceURI, tag), attributes, children);

// Four digits, without needless zeros.
function number(value) {
  if (value === null || value === undefined) return "";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : "\u2212\u221e";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(3) : String(+value.toPrecision(4));
  return text.replace("-", "\u2212");
}
const percent = (share) => (share === 0 ? "none" : share < 0.0001 ? "less than 0.01 %" : number(share * 100) + " %");

// Paints shapes on a canvas in the style of the style sheet.
// It reads each style once from a hidden sample element, so themes and colors are defined in one place only.

import { s } from "./dom.js";
import { shapeOf } from "./shapes.js";

/** What of an element decides its style beside its place; everything else is geometry. */
const STYLED = ["class", "color", "fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "fill-opacity", "stroke-opacity", "opacity"];

/**
 * One stroke of the brush. `matrix`: as of CanvasRenderingContext2D.transform. `near`: left out when the map is seen from
 * far. `room`: 0, or how many times larger it may become when the map is seen from far.
 * @typedef {{path: Path2D|null, words: string, x: number, y: number, font: string, matrix: number[], look: Object,
 *   alpha: number, filter: string, near: boolean, room: number}} Stroke
 */

/** An element from which styles are read, with those below it that were needed. */
class Sample {
  children = new Map();
  #look = null;

  constructor(element) {
    this.element = element;
  }

  child(key, make) {
    let found = this.children.get(key);
    if (!found) {
      found = new Sample(make());
      this.element.append(found.element);
      this.children.set(key, found);
    }
    return found;
  }

  get look() {
    return (this.#look ??= lookOf(getComputedStyle(this.element)));
  }
}

export class Brush {
  #host;
  #root = null;
  #symbols = new Map();

  /** @param {Element} host where the samples are kept, hidden: styles that hold in there hold for what is painted */
  constructor(host) {
    this.#host = host;
  }

  /** Forget all styles, as after another theme was chosen. */
  rinse() {
    this.#root?.element.remove();
    this.#root = null;
  }

  /** @param {import("./shapes.js").Shape} shape @returns {Stroke[]} */
  strokes(shape) {
    if (!this.#root) {
      this.#root = new Sample(s("svg", { class: "drawing samples", hidden: true, "aria-hidden": "true" }));
      this.#host.append(this.#root.element);
    }
    const found = [];
    this.#add(shape, this.#root, { matrix: [1, 0, 0, 1, 0, 0], alpha: 1, filter: "", near: false, room: 0 }, "", found);
    return found;
  }

  #add(shape, parent, outer, place, found) {
    const { tag, properties, children } = shape;
    const sample = this.#sample(shape, parent, place);
    const { look } = sample;
    const { transform } = properties;
    const inner = {
      matrix: transform ? times(outer.matrix, matrixOf(transform)) : outer.matrix,
      alpha: outer.alpha * look.opacity,
      filter: look.filter || outer.filter,
      near: outer.near || /\bbadge\b/.test(properties.class ?? ""),
      room: Number(properties["--room"] ?? outer.room),
    };
    if (tag === "g") {
      let uses = 0;
      for (const child of children) this.#add(child, sample, inner, child.tag === "use" && uses++ ? "later" : "", found);
    } else if (tag === "use") this.#addPicture(properties, parent, sample, inner, found);
    else if (tag === "text") {
      const size = Number(properties["font-size"]) || look.size;
      found.push({ ...inner, look, path: null, words: properties.text, x: Number(properties.x ?? 0), y: Number(properties.y ?? 0), font: `${look.weight} ${size}px ${look.family}` });
    } else {
      const path = pathOf(tag, properties);
      if (path) found.push({ ...inner, look, path, words: "", x: 0, y: 0, font: "" });
    }
  }

  #sample({ tag, properties }, parent, place) {
    let key = `${tag} ${place}`;
    for (const name of STYLED) if (properties[name] !== undefined) key += `|${name}=${properties[name]}`;
    return parent.child(key, () => s(tag, Object.fromEntries(STYLED.map((name) => [name, properties[name]]))));
  }

  /** One of our pictures. What is in it takes the colours of what it stands in. */
  #addPicture({ href, x = 0, y = 0, width = 24, height = 24 }, parent, sample, inner, found) {
    if (!this.#symbols.has(href)) {
      const symbol = document.querySelector(`symbol${href}`);
      if (!symbol) return;
      this.#symbols.set(href, { ...shapeOf(symbol), tag: "g" });
    }
    const symbol = this.#symbols.get(href);
    const { color, cut } = sample.look;
    const stand = parent.child(`in ${color} ${cut}`, () => {
      const group = s("g");
      group.style.color = color;
      if (cut) group.style.setProperty("--cut", cut);
      return group;
    });
    const matrix = times(inner.matrix, [width / 24, 0, 0, height / 24, Number(x), Number(y)]);
    this.#add(symbol, stand, { ...inner, matrix }, "", found);
  }
}

/**
 * Paint strokes around the point 0, 0 of a canvas.
 * @param {CanvasRenderingContext2D} context @param {Stroke[]} strokes
 * @param {{isFar: boolean, unzoom: number}} sight as the map is seen now
 */
export function paint(context, strokes, { isFar, unzoom }) {
  for (const { path, words, x, y, font, matrix, look, alpha, filter, near, room } of strokes) {
    if (near && isFar) continue;
    context.save();
    if (room) context.scale(Math.min(unzoom, room), Math.min(unzoom, room));
    context.transform(...matrix);
    if (filter) context.filter = filter;
    const fill = () => {
      if (look.fill === "none") return;
      context.globalAlpha = alpha * look.fillOpacity;
      context.fillStyle = look.fill;
      if (path) context.fill(path);
      else context.fillText(words, x, y);
    };
    const stroke = () => {
      if (look.stroke === "none" || !look.width) return;
      context.globalAlpha = alpha * look.strokeOpacity;
      context.strokeStyle = look.stroke;
      context.lineWidth = look.width;
      context.lineCap = look.cap;
      context.lineJoin = look.join;
      context.setLineDash(look.dash);
      if (path) context.stroke(path);
      else context.strokeText(words, x, y);
    };
    if (words) {
      context.font = font;
      context.textAlign = look.align;
    }
    if (look.strokeFirst) {
      stroke();
      fill();
    } else {
      fill();
      stroke();
    }
    context.restore();
  }
}

/** All that is needed of a computed style. */
function lookOf(style) {
  return {
    fill: style.fill,
    fillOpacity: Number(style.fillOpacity),
    stroke: style.stroke,
    strokeOpacity: Number(style.strokeOpacity),
    width: Number.parseFloat(style.strokeWidth),
    cap: style.strokeLinecap,
    join: style.strokeLinejoin,
    dash: style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(/[ ,]+/).map(Number.parseFloat),
    strokeFirst: style.paintOrder.startsWith("stroke"),
    opacity: Number(style.opacity),
    filter: style.filter === "none" ? "" : style.filter,
    weight: style.fontWeight,
    size: Number.parseFloat(style.fontSize),
    family: style.fontFamily,
    align: { middle: "center", end: "right" }[style.textAnchor] ?? "left",
    color: style.color,
    cut: style.getPropertyValue("--cut").trim(),
  };
}

function pathOf(tag, { cx = 0, cy = 0, r = 0, rx, ry, x = 0, y = 0, width = 0, height = 0, d = "" }) {
  if (tag === "path") return new Path2D(d);
  const path = new Path2D();
  if (tag === "circle") path.arc(Number(cx), Number(cy), Number(r), 0, 2 * Math.PI);
  else if (tag === "ellipse") path.ellipse(Number(cx), Number(cy), Number(rx), Number(ry), 0, 0, 2 * Math.PI);
  else if (tag === "rect") {
    const box = [x, y, width, height].map(Number);
    if (rx) path.roundRect(...box, Math.min(Number(rx), box[2] / 2, box[3] / 2));
    else path.rect(...box);
  } else return null;
  return path;
}

/** The transformations that our pictures and marks use. */
function matrixOf(text) {
  let matrix = [1, 0, 0, 1, 0, 0];
  for (const [, name, values] of text.matchAll(/\b(\w+)\(([^()]*)\)/g)) {
    const [a = 0, b, c = 0] = values.split(/[ ,]+/).map(Number);
    if (name === "translate") matrix = times(matrix, [1, 0, 0, 1, a, b ?? 0]);
    else if (name === "scale") matrix = times(matrix, [a, 0, 0, b ?? a, 0, 0]);
    else if (name === "rotate") {
      const [sine, cosine] = [Math.sin((a * Math.PI) / 180), Math.cos((a * Math.PI) / 180)];
      matrix = times(times(times(matrix, [1, 0, 0, 1, b ?? 0, c]), [cosine, sine, -sine, cosine, 0, 0]), [1, 0, 0, 1, -(b ?? 0), -c]);
    }
  }
  return matrix;
}

/** One affine transformation after the other, as [a, b, c, d, e, f]. */
function times([a, b, c, d, e, f], [g, h, i, j, k, l]) {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

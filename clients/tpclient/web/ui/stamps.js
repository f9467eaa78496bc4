// The marks of a large map, painted on a canvas.
// Each kind of mark is painted once and then stamped. Thousands of SVG elements would take the browser seconds.

import { Brush, paint } from "./brush.js";
import { h } from "./dom.js";
import { nameBelow } from "./elements.js";
import { shape } from "./shapes.js";

/** Stamps wider than so many pixels are painted each time: few of them are seen at once. */
const LARGEST = 200;
/** The width and height of a sheet of stamps in pixels, and how many sheets are kept. */
const SHEET = 1024;
const MOST_SHEETS = 16;
/** So many stamps more than are used may be kept. */
const SPARE = 1000;
/** Milliseconds after which a map that was zoomed is painted sharp again. */
const SETTLED = 120;

/** A kind of mark: how to paint it, and where it is on the sheets: `slot` holds for one `round` and one `sight`. */
class Stamp {
  strokes = null;
  /** @type {{context: CanvasRenderingContext2D, x: number, y: number, side: number}|null} */
  slot = null;
  round = 0;
  sight = "";

  /** @param {import("./marks.js").Mark} mark */
  constructor(mark) {
    this.mark = mark;
  }
}

/** Stamps beside each other on a few canvases: a canvas for each would take longer to make than to paint. */
class Sheets {
  #sheets = [];
  #at = { x: 0, y: 0, high: 0 };
  /** What was given room in an earlier round is there no more. */
  round = 1;
  isFull = false;

  clear() {
    for (const context of this.#sheets) context.clearRect(0, 0, SHEET, SHEET);
    this.#sheets.splice(1);
    this.#at = { x: 0, y: 0, high: 0 };
    this.round += 1;
    this.isFull = false;
  }

  /** Room for a square, null if there is none left. */
  room(side) {
    let { x, y, high } = this.#at;
    if (x + side > SHEET) [x, y, high] = [0, y + high, 0];
    if (!this.#sheets.length || y + side > SHEET) {
      this.isFull = this.#sheets.length >= MOST_SHEETS;
      if (this.isFull) return null;
      this.#sheets.push(h("canvas", { width: SHEET, height: SHEET }).getContext("2d"));
      [x, y, high] = [0, 0, 0];
    }
    this.#at = { x: x + side, y, high: Math.max(high, side) };
    return { context: this.#sheets.at(-1), x, y, side };
  }
}

export class Stamps {
  canvas = h("canvas", { class: "stamps", "aria-hidden": "true" });
  #context = this.canvas.getContext("2d");
  #brush;
  #sheets = new Sheets();
  #sight = "";
  #stamps = new Map();
  #places = new Map();
  #view = null;
  #settling = 0;

  /** @param {Element} host where the canvas is shown */
  constructor(host) {
    this.#brush = new Brush(host);
    const rinse = () => this.#rinse();
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", rinse);
    new MutationObserver(rinse).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "style"] });
  }

  /** Nothing lies in the drawing itself. @returns {SVGElement[]} */
  layers() {
    return [];
  }

  normal(place, mark) {
    this.#of(place).normal = this.#stampOf(mark);
  }

  pie(place, mark) {
    this.#of(place).pie = this.#stampOf(mark);
  }

  name(place, text) {
    this.#of(place).name = text;
  }

  clear() {
    this.#places.clear();
    this.#stamps.clear();
    this.#sheets.clear();
    this.#view = null;
    clearTimeout(this.#settling);
    this.canvas.width = this.canvas.height = 0;
  }

  /**
   * Paint what is seen.
   * @param {{x: number, y: number, scale: number, width: number, height: number, isFar: boolean, unzoom: number,
   *   isResource: boolean}} view `x` and `y`: pixels of the map's corner from the window's; `width` and `height` of the
   *   window in pixels
   */
  draw(view) {
    // While the map is being zoomed the stamps that there are do, and are made anew when it rests.
    const isMoving = this.#view !== null && this.#view.scale !== view.scale;
    this.#view = view;
    clearTimeout(this.#settling);
    if (isMoving) this.#settling = setTimeout(() => this.#paint(view, true), SETTLED);
    this.#paint(view, !isMoving);
  }

  #rinse() {
    this.#brush.rinse();
    for (const stamp of this.#stamps.values()) stamp.strokes = stamp.slot = null;
    if (this.#view) this.#paint(this.#view, true);
  }

  #of(place) {
    if (!this.#places.has(place)) this.#places.set(place, { normal: null, pie: null, name: "" });
    return this.#places.get(place);
  }

  #stampOf(mark) {
    if (!mark) return null;
    if (!this.#stamps.has(mark.key)) {
      if (this.#stamps.size > 2 * this.#places.size + SPARE) this.#forget();
      this.#stamps.set(mark.key, new Stamp(mark));
    }
    return this.#stamps.get(mark.key);
  }

  /** Let go of the stamps that are used no more. */
  #forget() {
    const used = new Set([...this.#places.values()].flatMap(({ normal, pie }) => [normal, pie]));
    for (const [key, stamp] of this.#stamps) if (!used.has(stamp)) this.#stamps.delete(key);
  }

  #paint(view, isSharp) {
    const ratio = globalThis.devicePixelRatio || 1;
    const size = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
    const context = this.#context;
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) {
      [this.canvas.width, this.canvas.height] = size;
      this.canvas.style.width = `${size[0] / ratio}px`;
      this.canvas.style.height = `${size[1] / ratio}px`;
    } else context.clearRect(0, 0, ...size);
    const scale = view.scale * ratio;
    const sight = `${scale} ${view.isFar} ${view.unzoom}`;
    if (this.#sheets.isFull || (isSharp && sight !== this.#sight)) this.#sheets.clear();
    if (isSharp) this.#sight = sight;
    const seen = [];
    for (const [{ spot, plan }, { normal, pie }] of this.#places) {
      const stamp = view.isResource ? pie : normal;
      if (!stamp) continue;
      const x = ((spot.x + plan.x + plan.shift.x) * view.scale + view.x) * ratio;
      const y = ((spot.y + plan.y + plan.shift.y) * view.scale + view.y) * ratio;
      const half = Math.ceil(stamp.mark.reach * scale) + 1;
      if (x + half > 0 && y + half > 0 && x - half < size[0] && y - half < size[1]) seen.push({ stamp, x, y, half });
    }
    // First all that is new goes on the sheets, then all is stamped: to change between the two is slow.
    for (const { stamp, half } of seen) this.#prepare(stamp, half, { view, scale, sight, isSharp });
    for (const { stamp, x, y, half } of seen) this.#put(stamp, x, y, half, scale, view);
    if (!view.isFar) this.#names(view, scale, ratio, size);
  }

  #prepare(stamp, half, { view, scale, sight, isSharp }) {
    if (stamp.round === this.#sheets.round && stamp.slot && (!isSharp || stamp.sight === sight)) return;
    stamp.strokes ??= this.#brush.strokes(stamp.mark.shape());
    stamp.slot = 2 * half > LARGEST ? null : this.#sheets.room(2 * half);
    stamp.round = this.#sheets.round;
    stamp.sight = sight;
    if (!stamp.slot) return;
    const { context, x, y, side } = stamp.slot;
    context.save();
    context.beginPath();
    context.rect(x, y, side, side);
    context.clip();
    context.setTransform(scale, 0, 0, scale, x + half, y + half);
    paint(context, stamp.strokes, view);
    context.restore();
  }

  #put(stamp, x, y, half, scale, view) {
    const context = this.#context;
    if (!stamp.slot) {
      context.setTransform(scale, 0, 0, scale, x, y);
      paint(context, stamp.strokes, view);
      context.setTransform(1, 0, 0, 1, 0, 0);
      return;
    }
    const { slot } = stamp;
    // Whole pixels keep the stamp as sharp as it was painted.
    const [left, top] = slot.side === 2 * half ? [Math.round(x - half), Math.round(y - half)] : [x - half, y - half];
    context.drawImage(slot.context.canvas, slot.x, slot.y, slot.side, slot.side, left, top, 2 * half, 2 * half);
  }

  #names(view, scale, ratio, [width, height]) {
    for (const [{ spot, plan }, { name }] of this.#places) {
      if (!name) continue;
      const x = ((spot.x + plan.x + plan.shift.x) * view.scale + view.x) * ratio;
      const y = ((spot.y + nameBelow(spot) + plan.y + plan.shift.y) * view.scale + view.y) * ratio;
      if (x < -200 * scale || y < -20 * scale || x > width + 200 * scale || y > height + 20 * scale) continue;
      this.#context.setTransform(scale, 0, 0, scale, x, y);
      paint(this.#context, this.#brush.strokes(shape("text", { class: "name", text: name })), view);
    }
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
  }
}

// The visible part of the map and its zoom, by drag, wheel, fingers, keys.
// It moves one group of the drawing.

const LEAST = 0.02;
const MOST = 6;
/** A press that moves less than this (pixels) is a click. */
const SLACK = 5;

/** A part of the map, in map units. @typedef {{x: number, y: number, width: number, height: number}} Frame */

export class Camera {
  #drawing;
  #worlds;
  #x = 0;
  #y = 0;
  #pending = false;
  /** Where each pointer that is pressed was last, in the window: there the page may scroll without moving it. */
  #fingers = new Map();
  #travelled = 0;
  /** The size of the drawing, null as long as it is not known: to measure it makes the browser lay out the whole page. */
  #window = null;
  scale = 1;
  /** Whether what is dragged is something on the map, so that the map stays. */
  isHeld = false;
  /** Whether the player moved it: then it is not fitted again by itself. */
  moved = false;

  /**
   * @param {SVGElement} drawing @param {SVGElement[]} worlds the groups that are moved
   * @param {() => void} onmove is told when they were
   */
  constructor(drawing, worlds, onmove = () => {}) {
    this.#drawing = drawing;
    this.#worlds = worlds;
    this.onmove = onmove;
    drawing.addEventListener("pointerdown", (event) => this.#press(event));
    drawing.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, (event) => this.#release(event));
    drawing.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** Whether the press that ends now has moved the map, so that it is no click. */
  get wasDragged() {
    return this.#travelled > SLACK;
  }

  /** Pixels from the corner of the window to that of the map. */
  get x() {
    return this.#x;
  }

  get y() {
    return this.#y;
  }

  get window() {
    const { width, height } = this.#drawing.getBoundingClientRect();
    this.#window = { width: Math.max(width, 1), height: Math.max(height, 1) };
    return this.#window;
  }

  /** The size of the drawing has changed. */
  resized() {
    this.#window = null;
  }

  /** At which scale a part of the map fills the window, from `top` pixels on. @param {Frame} frame */
  scaleFor(frame, top = 0) {
    const { width, height } = this.window;
    const margin = Math.min(16, width * 0.02);
    return bounded(Math.min((width - 2 * margin) / frame.width, (height - top - 2 * margin) / frame.height), LEAST, 2.4);
  }

  /**
   * Show a part of the map, as large as it fits below `top` pixels; if that is less than a scale, its upper left corner.
   * @param {Frame} frame
   */
  show(frame, { least = LEAST, top = 0 } = {}) {
    const { width, height } = this.window;
    this.scale = Math.max(least, this.scaleFor(frame, top));
    this.#x = Math.max(2, (width - frame.width * this.scale) / 2) - frame.x * this.scale;
    this.#y = top + Math.max(2, (height - top - frame.height * this.scale) / 2) - frame.y * this.scale;
    this.moved = false;
    this.#apply();
  }

  /** Move by pixels of the screen. */
  pan(x, y) {
    this.#x += x;
    this.#y += y;
    this.moved = true;
    this.#apply();
  }

  /** Make it larger (factor > 1) or smaller around a point of the window, its middle if none is given. */
  zoom(factor, point = null) {
    const { width, height } = this.window;
    const { x, y } = point ?? { x: width / 2, y: height / 2 };
    const scale = bounded(this.scale * factor, LEAST, MOST);
    this.#x = x - ((x - this.#x) * scale) / this.scale;
    this.#y = y - ((y - this.#y) * scale) / this.scale;
    this.scale = scale;
    this.moved = true;
    this.#apply();
  }

  /** Move so far that a place is well inside of the window, if not all of it is there. @param {number} reach from its middle */
  reveal({ x, y }, reach) {
    const { width, height } = this.#window ?? this.window;
    const margin = Math.min(60, width / 5, height / 5);
    const near = Math.min(reach * this.scale, margin);
    const at = { x: this.#x + x * this.scale, y: this.#y + y * this.scale };
    if (at.x >= near && at.x <= width - near && at.y >= near && at.y <= height - near) return;
    this.#x += bounded(at.x, margin, width - margin) - at.x;
    this.#y += bounded(at.y, margin, height - margin) - at.y;
    this.#apply();
  }

  #apply() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      this.#pending = false;
      const transform = `translate(${this.#x.toFixed(2)} ${this.#y.toFixed(2)}) scale(${this.scale.toFixed(4)})`;
      for (const world of this.#worlds) world.setAttribute("transform", transform);
      this.onmove();
    });
  }

  /** A place in the window as one of the drawing. */
  #within({ x, y }) {
    const { left, top } = this.#drawing.getBoundingClientRect();
    return { x: x - left, y: y - top };
  }

  #press(event) {
    if (event.button > 0) return;
    this.#fingers.delete(event.pointerId);
    if (!this.#fingers.size) this.#travelled = 0;
    this.#fingers.set(event.pointerId, inWindow(event));
  }

  #move(event) {
    // A mouse that was released beside the drawing, where nobody told.
    if (!event.buttons) this.#release(event);
    const before = this.#fingers.get(event.pointerId);
    if (!before) return;
    const now = inWindow(event);
    this.#fingers.set(event.pointerId, now);
    if (this.#fingers.size === 2) {
      const [other] = [...this.#fingers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      this.#travelled = Infinity;
      this.zoom(distance(now, other) / Math.max(distance(before, other), 1), this.#within(other));
      return;
    }
    this.#travelled += distance(now, before);
    if (!this.wasDragged || this.isHeld) return;
    // Only now, so that a mere click still reaches what is under it.
    if (!this.#drawing.hasPointerCapture(event.pointerId)) this.#drawing.setPointerCapture(event.pointerId);
    this.#drawing.classList.add("panned");
    this.pan(now.x - before.x, now.y - before.y);
  }

  #release(event) {
    this.#fingers.delete(event.pointerId);
    if (!this.#fingers.size) this.#drawing.classList.remove("panned");
  }

  #wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    this.zoom(Math.exp(-bounded(event.deltaY * lines, -240, 240) / 400), this.#within(inWindow(event)));
  }
}

const bounded = (value, least, most) => Math.min(Math.max(value, least), most);
const inWindow = (event) => ({ x: event.clientX, y: event.clientY });
const distance = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);

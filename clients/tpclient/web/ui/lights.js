// Marks above the map: pieces that can act, targets, orders to take back.
// Marks of the same look are one path, so a thousand targets cost as much as one.

import { WORDS } from "../words.js";
import { h, s } from "./dom.js";
import { CELL } from "./layout.js";

/** Where more than this part of all places is lit, the marks are small: they tell little then. */
const MOST_LIT = 0.4;
/** Above so many queued orders the map has no crosses. */
const MOST_CROSSES = 60;

const circle = ({ x, y }, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

export function frame({ x, y }, width, height, r) {
  const [w, d] = [width - 2 * r, height - 2 * r];
  return `M${x - w / 2} ${y - height / 2}h${w}a${r} ${r} 0 0 1 ${r} ${r}v${d}a${r} ${r} 0 0 1 ${-r} ${r}h${-w}a${r} ${r} 0 0 1 ${-r} ${-r}v${-d}a${r} ${r} 0 0 1 ${r} ${-r}z`;
}

/** The outline of what can act: no other mark is a square with round corners and a thin line. */
const outline = (spot) => (spot.kind === "tray" ? frame(spot, spot.width + 8, spot.height + 8, 14) : frame(spot, CELL - 5, CELL - 5, 13));
const ring = (spot) => (spot.kind === "tray" ? frame(spot, spot.width - 8, spot.height - 8, 9) : circle(spot, CELL * 0.43));

export class Lights {
  #map;
  #acting = s("path", { class: "acting" });
  #under = s("path", { class: "lit under" });
  #dots = s("path", { class: "lit dots" });
  #rings = s("path", { class: "lit rings" });
  #steps = s("g", { class: "lines" });
  #crosses = s("g", { class: "crosses" });
  #ids = new Set();
  #targets = new Map();
  #colour = "";
  #pending = false;
  /** Whether `#targets` are what is drawn. */
  #isDrawn = true;

  /** @param {import("./map.js").MapView} map */
  constructor(map) {
    this.#map = map;
    map.overworld.prepend(this.#acting, this.#under, this.#dots, this.#rings, this.#steps);
    map.overworld.append(this.#crosses);
    map.addEventListener("drawn", () => this.#draw());
    this.#acting.addEventListener("animationend", () => this.#acting.classList.remove("breath"));
  }

  /** Outline these places. @param {Set<number>} ids @param {boolean} breathes whether to catch the eye, once */
  acting(ids, breathes) {
    this.#ids = ids;
    if (breathes && ids.size) this.#acting.classList.add("breath");
    this.#draw();
  }

  /**
   * Light the places where an order can go. @param {Map<number, boolean>} targets by place: whether anything stands there
   * @param {string} colour the class of the player's colour
   */
  targets(targets, colour) {
    this.#targets = targets;
    this.#colour = colour;
    this.#isDrawn = false;
    if (this.#pending) return;
    // The first ones at once, for somebody waits for them; whatever comes before the next frame is drawn in that.
    this.#drawTargets();
    if (!targets.size) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      this.#pending = false;
      if (!this.#isDrawn) this.#drawTargets();
    });
  }

  #draw() {
    put(this.#acting, "acting", [...this.#ids], (id) => this.#shape(id, outline));
    this.#drawTargets();
  }

  #shape(id, form) {
    const spot = this.#map.spot(id);
    return spot ? form(spot) : "";
  }

  #drawTargets() {
    this.#isDrawn = true;
    this.#map.hint(this.#targets.size ? this.#targets.keys() : this.#ids);
    const [free, taken] = [[], []];
    for (const [id, isTaken] of this.#targets) (isTaken ? taken : free).push(id);
    const rings = put(this.#rings, `lit rings ${this.#colour}`, taken, (id) => this.#shape(id, ring));
    const radius = free.length > MOST_LIT * this.#map.size ? 5 : 9;
    put(this.#dots, `lit dots ${this.#colour}`, free, (id) => this.#shape(id, (spot) => circle(spot, radius)));
    // An edge of both kinds: light inside, dark outside, for it has to be seen on any ground.
    this.#under.setAttribute("d", rings + free.map((id) => this.#shape(id, (spot) => circle(spot, radius + 1))).join(""));
  }

  /**
   * Arrows beside those that the map draws by itself, and crosses at the ends of orders.
   * @param {{from: Object, to: Object, colour: string}[]} arrows
   * @param {{at: Object, words: string, call: () => void}[]} crosses
   */
  orders(arrows, crosses) {
    this.#steps.replaceChildren(...arrows.map(({ from, to, colour }) => s("path", { class: `path ${colour}`, d: `M${from.x} ${from.y}L${to.x} ${to.y}`, "marker-end": "url(#arrow)" })));
    const shown = crosses.length > MOST_CROSSES ? [] : crosses;
    this.#crosses.replaceChildren(
      ...shown.map(({ at, words, call }) =>
        s("g", { class: "cross", transform: `translate(${at.x + CELL * 0.36} ${at.y - CELL * 0.36})`, onclick: call }, s("title", { text: WORDS.legend.takeBack({ order: words }) }), s("circle", { r: 13 }), s("path", { d: "M-5 -5L5 5M5 -5L-5 5" })),
      ),
    );
  }
}

function put(path, name, ids, shape) {
  const d = ids.map(shape).join("");
  const breath = path.classList.contains("breath") ? " breath" : "";
  path.setAttribute("class", name + breath);
  path.setAttribute("d", d);
  path.dataset.ids = ids.join(" ");
  return d;
}

/** The entry of the legend. */
export const actingSign = () => h("span", { class: "entry" }, s("svg", { viewBox: "-36 -36 72 72", "aria-hidden": "true" }, s("circle", { class: "plate", r: 17 }), s("path", { class: "acting", d: outline({ x: 0, y: 0, kind: "square" }) })), WORDS.legend.canActNow);

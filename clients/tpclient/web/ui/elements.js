// The marks of a small map, as SVG elements.

import { s, say } from "./dom.js";
import { CELL } from "./layout.js";
import { drawn } from "./shapes.js";

/** Where the name of a place stands below its middle, in map units. */
export const nameBelow = ({ kind, height }) => (kind === "tray" ? height / 2 + 15 : CELL * 0.66);

export class Elements {
  #drawn = new Map();

  /** The layers of a board, in the order in which they lie on each other; what the views switch is one layer each. */
  layers(plan) {
    plan.layers = { normal: s("g", { class: "normal-layer" }), pies: s("g", { class: "pie-layer" }), names: s("g", { class: "names" }) };
    return Object.values(plan.layers);
  }

  /** Draw what the normal view shows at a place. @param {Object} place @param {import("./marks.js").Mark} mark */
  normal(place, mark) {
    this.#put(place, "normal", place.plan.layers.normal, mark);
  }

  /** Draw what the resource view shows at a place. @param {Object} place @param {import("./marks.js").Mark|null} mark */
  pie(place, mark) {
    this.#put(place, "pie", place.plan.layers.pies, mark);
  }

  name(place, text) {
    const { spot, plan } = place;
    const made = this.#of(place);
    if (!made.name) {
      made.name = s("text", { class: "name", x: spot.x, y: spot.y + nameBelow(spot) });
      plan.layers.names.append(made.name);
    }
    say(made.name, text);
  }

  clear() {
    this.#drawn.clear();
  }

  #of(place) {
    if (!this.#drawn.has(place)) this.#drawn.set(place, { normal: null, pie: null, name: null });
    return this.#drawn.get(place);
  }

  #put(place, kind, layer, mark) {
    const made = this.#of(place);
    const before = made[kind];
    made[kind] = mark && drawn(mark.shape());
    if (!made[kind]) {
      before?.remove();
      return;
    }
    const { spot } = place;
    made[kind].setAttribute("data-id", spot.id);
    made[kind].setAttribute("transform", `translate(${spot.x} ${spot.y})`);
    if (before) before.replaceWith(made[kind]);
    else layer.append(made[kind]);
  }
}

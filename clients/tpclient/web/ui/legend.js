// The legend of the map; in the resource view, the choice of resources.

import { capital } from "../core/appearance.js";
import { resourcesOn } from "../core/views.js";
import { WORDS } from "../words.js";
import { $, h, picture, s, show } from "./dom.js";
import { actingSign } from "./lights.js";
import { dotMark, playerClass, resourceClass, resourceLetters } from "./marks.js";
import { resourcePicture } from "./pictures.js";
import { drawn } from "./shapes.js";

const DOTS = [
  ["green", WORDS.common.yours],
  ["red", WORDS.legend.others],
  ["yellow", WORDS.legend.both],
  ["white", WORDS.legend.nobodys],
];

/** A player's disc and name. */
function playerSign(universe, { id, name }) {
  const disc = s("svg", { viewBox: "-12 -12 24 24", class: playerClass(universe, id), "aria-hidden": "true" }, s("circle", { class: "plate", r: 10 }), s("circle", { class: "pattern", r: 9 }));
  return h("span", { class: "entry" }, disc, id === universe.me ? WORDS.common.you({ name }) : name);
}

export class Legend {
  #page;
  #ticked = null;
  #drawn = "";

  /** @param {Object} page `map`, `player`, `tick(resources)` */
  constructor(page) {
    this.#page = page;
  }

  update() {
    const { map, player, legal } = this.#page;
    const resources = map.view === "resource" && map.map ? resourcesOn(map.map) : [];
    if (map.ticked === null) this.#ticked = null;
    const players = [...player.universe.players.values()];
    const key = `${map.view} ${map.isOld} ${player.universe.me} ${players.map(({ id, name }) => `${id} ${name}`)} ${resources.map((id) => `${id} ${player.universe.resourceName(id)}`)} ${this.#ticked === null} ${legal.isKnown}`;
    if (key === this.#drawn) return;
    this.#drawn = key;
    const dots = map.isOld ? this.#dots() : players.map((one) => playerSign(player.universe, one));
    show($("legend"), map.view === "resource" ? this.#ticks(resources) : [...dots, legal.isKnown && actingSign(), this.#oldBox()]);
  }

  /** The four colours of the old clients. */
  #dots() {
    return DOTS.map(([kind, text]) => h("span", { class: "entry" }, s("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, drawn(dotMark(kind, 8))), text));
  }

  #oldBox() {
    const { map } = this.#page;
    return h("label", { class: "entry as-old", title: WORDS.legend.asOldTitle }, h("input", { type: "checkbox", id: "as-old", checked: map.isOld, onchange: (event) => this.#page.showAsOld(event.target.checked) }), WORDS.legend.asOld);
  }

  #ticks(resources) {
    const { universe } = this.#page.player;
    if (!resources.length) return h("span", { text: WORDS.legend.noResources });
    const boxes = resources.map((id) => {
      const look = resourcePicture(universe.resources.get(id)?.name ?? "");
      return h(
        "label",
        { class: "entry", title: universe.resources.get(id)?.description || null },
        h("input", { type: "checkbox", "data-resource": id, checked: this.#ticked === null || this.#ticked.has(id), onchange: (event) => this.#tick(resources, id, event.target.checked) }),
        s("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, s("circle", { r: 11, class: `slice ${resourceClass(universe, id)}` }), s("text", { class: "letters", y: 4.5, "font-size": 12, text: resourceLetters(universe, id) })),
        look && picture(look),
        h("span", { text: capital(universe.resourceName(id, 2)) }),
      );
    });
    return [h("fieldset", {}, h("legend", { text: WORDS.legend.slicesOf }), boxes, h("button", { type: "button", text: WORDS.legend.all, onclick: () => this.#all() }))];
  }

  #tick(resources, id, isOn) {
    const ticked = new Set(this.#ticked ?? resources);
    if (isOn) ticked.add(id);
    else ticked.delete(id);
    // Nothing ticked would show nothing; all are shown then, as the boxes say.
    const all = !ticked.size || resources.every((one) => ticked.has(one));
    this.#ticked = all ? null : ticked;
    this.#page.tick(this.#ticked);
    if (all) this.#redraw();
  }

  #all() {
    this.#ticked = null;
    this.#page.tick(null);
    this.#redraw();
  }

  #redraw() {
    this.#drawn = "";
    this.update();
  }
}

// The map: all boards as one drawing, built once and updated in place.

import { sameObjects } from "../core/changes.js";
import { paths, readMap, tooltip } from "../core/views.js";
import { WORDS } from "../words.js";
import { Camera } from "./camera.js";
import { $, h, s, say, show } from "./dom.js";
import { Elements } from "./elements.js";
import { CELL, arrange, frameOf, planBoards } from "./layout.js";
import { normalMark, piecesAt, pieMark, placeWords, playerClass } from "./marks.js";
import { boardTerrain } from "./pictures.js";
import { Stamps } from "./stamps.js";

/** Maps with more places than so many are painted on a canvas. */
const MOST_ELEMENTS = 1000;
/** Below this scale badges and names are left out. */
const FAR = 0.3;
/** Several boards are shown together if a square keeps so many pixels; else one of them has the window. */
const LEAST_TOGETHER = 36;
/** On a phone a square keeps so many pixels: the board is larger than the window then, and is moved. */
const LEAST_ON_PHONE = 24;
const PHONE = matchMedia("(max-width: 820px), (max-height: 460px)");

/**
 * Events: "select" {icon, things, pieces}: a place was clicked or entered (icon: its object's id, things: what belongs to
 * it, pieces: those of them that were drawn under the pointer);
 * "drag" and "drop" with the same, where a piece that may be dragged is; "view" {view}; "drawn" and "moved" when places may be elsewhere, on the map and on the screen. While something is to be picked, "pick" {icon, things} comes in place of "select", and "cancel" if the
 * player thinks better of it.
 */
export class MapView extends EventTarget {
  /** @type {import("../core/views.js").StarMap|null} */
  map = null;
  view = "normal";
  /** Whether it has the dots of the old clients. */
  isOld = false;
  /** @type {Set<number>|null} the resources whose slices are shown, null: all */
  ticked = null;

  #universe = null;
  #host = $("map");
  // The ground and whatever is pointed at, the canvas for the marks of large maps, and what lies above them.
  #drawing = s("svg", { class: "drawing", "aria-hidden": "true" });
  #world = s("g", { class: "world" });
  #above = s("svg", { class: "drawing above", "aria-hidden": "true" });
  #overworld = s("g", { class: "world" });
  /** What is seen of what lies above, where one board has the window. */
  #clip = s("rect");
  #elements = new Elements();
  #stamps;
  /** Draws the marks: one of the two. */
  #ink = this.#elements;
  #lines = s("g", { class: "lines" });
  /** From what is dragged to the pointer. */
  #pull = s("path", { class: "path pull", "marker-end": "url(#arrow)" });
  #rings = { selected: s("rect", { class: "ring selected" }), cursor: s("rect", { class: "ring cursor" }) };
  #tip = $("tip");
  #camera;
  /** The boards with trays above and below them, and with trays beside them: what is larger is drawn. */
  #layouts = [];
  #plans = [];
  /** All of it. @type {import("./camera.js").Frame} */
  #all = { x: 0, y: 0, width: 1, height: 1 };
  /** The board that has the window, null if all are shown together; and where another is chosen. */
  #front = null;
  #choice = $("boards");
  #places = new Map();
  #members = new Map();
  #cursor = null;
  /** The selected object, and the place where it is. */
  #thing = null;
  #selected = null;
  #picking = false;
  /** The place on which the pointer was pressed, and the pieces that are drawn right there. */
  #pressed = null;
  #pieces = [];

  constructor() {
    super();
    this.#stamps = new Stamps(this.#host);
    this.#drawing.append(this.#world);
    this.#overworld.append(this.#lines, this.#pull, ...Object.values(this.#rings));
    this.#above.append(
      s("defs", {}, s("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 5, markerHeight: 5, orient: "auto-start-reverse" }, s("path", { d: "M0 0L10 5 0 10z" })), s("clipPath", { id: "front" }, this.#clip)),
      this.#overworld,
    );
    this.#host.append(this.#drawing, this.#stamps.canvas, this.#above);
    this.#camera = new Camera(this.#drawing, [this.#world, this.#overworld], () => this.#moved());
    this.#drawing.addEventListener("pointerdown", (event) => {
      this.#pressed = this.#placeOf(event);
      this.#pieces = this.#pressed === null ? [] : this.#piecesUnder(event, this.#pressed);
      if (this.#pressed !== null) this.dispatchEvent(new CustomEvent("press", { detail: this.#underPress }));
    });
    this.#drawing.addEventListener("pointerdown", (event) => this.#take(event));
    this.#drawing.addEventListener("pointermove", (event) => this.#carry(event));
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (event) => this.#drop(event));
    this.#drawing.addEventListener("click", () => this.#click());
    this.#drawing.addEventListener("pointermove", (event) => this.#hover(event));
    this.#drawing.addEventListener("pointerleave", () => this.hideTip());
    this.#host.addEventListener("keydown", (event) => this.#key(event));
    this.#host.addEventListener("focus", () => this.#enter());
    this.#host.addEventListener("blur", () => this.#rings.cursor.setAttribute("visibility", "hidden"));
    new ResizeObserver(() => this.#resized()).observe(this.#host);
  }

  /** What lies above the places: what others draw on the map goes in there. @type {SVGElement} */
  get overworld() {
    return this.#overworld;
  }

  /** What is drawn now. @type {import("../core/universe.js").Universe|null} */
  get universe() {
    return this.#universe;
  }

  /** What the normal view has drawn at a place, null where the map is a canvas. @returns {SVGElement|null} */
  markOf(id) {
    return this.#world.querySelector(`.normal[data-id="${Number(id)}"]`);
  }

  /** How many places there are. */
  get size() {
    return this.#places.size;
  }

  /** Says in a few words what a click on a place would do. @type {(id: number) => string} */
  explain = () => "";

  /** Says whether a place has something to drag. @type {(place: {things: Object[], pieces: Object[]}) => boolean} */
  isDraggable = () => false;
  /** The place whose piece is pressed, and whether it has been dragged already. */
  #held = null;
  #isDragging = false;

  get isPicking() {
    return this.#picking;
  }

  /** The objects that belong to a place, its own object first. */
  members(icon) {
    return this.#members.get(icon) ?? [];
  }

  /**
   * Draw what the universe is now.
   * @param {import("../core/universe.js").Universe} universe
   * @param {boolean} isSameGame whether another universe is another turn of the game that is shown, so that the board stays
   */
  update(universe, isSameGame = false) {
    const isOther = this.#universe !== universe && !isSameGame;
    universe.isNamedAsStored = this.isOld;
    this.#universe = universe;
    this.map = readMap(universe);
    this.#members = new Map([...this.map.icons.keys()].map((id) => [id, []]));
    for (const [id, icon] of this.map.iconOf) this.#members.get(icon).push(universe.objects.get(id));
    if (isOther || !this.#sameShape()) this.#build();
    else {
      for (const place of this.#places.values()) this.#refresh(place);
      this.#retitle();
      this.#draw();
    }
    this.drawLines();
    this.drawRegions();
    this.#selected = this.map.iconOf.get(this.#thing) ?? null;
    this.#mark("selected", this.#selected);
  }

  /** Show the dots, numbers and names of the old clients, or not. */
  showAsOld(isOld) {
    this.isOld = isOld;
    this.#host.classList.toggle("as-old", isOld);
    for (const place of this.#places.values()) place.shown = null;
    if (this.map) this.update(this.#universe);
  }

  /** Show the "normal" or the "resource" view. */
  show(view) {
    this.view = view;
    this.#host.classList.toggle("resource-view", view === "resource");
    this.#refreshPies();
    this.hideTip();
    this.dispatchEvent(new CustomEvent("view", { detail: { view } }));
  }

  /** Show the slices of these resources only; null: of all. */
  tick(resources) {
    this.ticked = resources;
    for (const place of this.#places.values()) place.pieKey = null;
    if (this.view === "resource") this.#refreshPies();
  }

  /** Mark the place where an object is as selected, and bring it into sight. */
  select(id) {
    this.#thing = id;
    this.#selected = this.map?.iconOf.get(id) ?? null;
    this.#mark("selected", this.#selected);
    if (this.#selected !== null) {
      this.#cursor = this.#selected;
      this.#reveal(this.#selected);
    }
  }

  /** From now on until `stopPicking` a click or Enter picks a place. */
  pick() {
    this.#picking = true;
    this.#host.classList.add("picking");
  }

  stopPicking() {
    this.#picking = false;
    this.#host.classList.remove("picking");
  }

  /** Show all of it. */
  fit() {
    this.#lay();
    this.#hide(null);
    this.#camera.show(this.#all);
  }

  /** Show all boards, if they are large enough together; else the one that has the window. */
  #show() {
    this.#lay();
    const least = PHONE.matches ? LEAST_ON_PHONE / CELL : 0;
    if (this.#areTogether(this.#plans, this.#all)) this.#front = null;
    else this.#front = this.#plans.find(({ id }) => id === this.#front?.id) ?? this.#places.get(this.#selected ?? this.#first())?.plan ?? this.#plans[0];
    this.#showChoice();
    this.#hide(this.#front);
    if (this.#front) this.#camera.show(frameOf(this.#front), { least, top: this.#choice.offsetHeight });
    else this.#camera.show(this.#all, { least: this.#plans[0]?.grid ? least : 0 });
  }

  /** Hide all boards but one, and what lies above them; none if there is no such one. */
  #hide(front) {
    this.#host.classList.toggle("one-board", front !== null);
    for (const plan of this.#plans) plan.holder.classList.toggle("behind", front !== null && plan !== front);
    if (!front) return this.#overworld.removeAttribute("clip-path");
    for (const [name, value] of Object.entries(frameOf(front))) this.#clip.setAttribute(name, value);
    this.#overworld.setAttribute("clip-path", "url(#front)");
  }

  /** Mark the boards where these places are, for whoever sees another one. @param {Iterable<number>} ids */
  hint(ids) {
    if (!this.#front) return;
    const plans = new Set([...ids].map((id) => this.#places.get(id)?.plan));
    this.#plans.forEach((plan, at) => {
      const button = this.#choice.children[at];
      button.classList.toggle("hint", plans.has(plan));
      button.title = plans.has(plan) ? WORDS.map.somethingToDo : "";
    });
  }

  #areTogether(plans, all) {
    return plans.length < 2 || this.#camera.scaleFor(all) * CELL >= LEAST_TOGETHER;
  }

  /** Take the layout that is larger in this window, and put its boards beside or below each other. */
  #lay() {
    const { width, height } = this.#camera.window;
    let most = 0;
    let best = this.#plans;
    for (const plans of this.#layouts) {
      const all = { x: 0, y: 0, ...arrange(plans, width / height) };
      const frames = this.#areTogether(plans, all) ? [all] : plans.map(frameOf);
      const scale = Math.min(...frames.map((frame) => this.#camera.scaleFor(frame)));
      if (scale > most * 1.02) [most, best, this.#all] = [scale, plans, all];
    }
    if (best !== this.#plans) this.#construct(best);
    for (const plan of this.#plans) plan.group.setAttribute("transform", `translate(${plan.x} ${plan.y})`);
    this.drawLines();
    for (const kind of ["selected", "cursor"]) this.#mark(kind, kind === "selected" ? this.#selected : null);
  }

  /** A small live picture of each board, to choose which has the window. */
  #showChoice() {
    this.#choice.hidden = !this.#front;
    if (!this.#front) return;
    show(this.#choice, ...this.#plans.map((plan) => {
      const { x, y, width, height } = plan;
      const small = this.#ink === this.#elements && s("svg", { viewBox: `${x} ${y} ${width} ${height}`, "aria-hidden": "true" }, s("use", { href: `#${plan.group.id}` }));
      return h("button", { type: "button", "aria-pressed": String(plan === this.#front), onclick: () => this.#bring(plan) }, small, plan.title);
    }));
  }

  /** Give a board the window. */
  #bring(plan) {
    this.#front = plan;
    this.#show();
    this.dispatchEvent(new CustomEvent("drawn"));
  }

  /** Bring a place into sight: its board, and the part of that. */
  #reveal(id) {
    const { plan } = this.#places.get(id);
    if (this.#front && this.#front !== plan) this.#bring(plan);
    this.#camera.reveal(this.#at(id), CELL / 2);
  }

  zoom(factor) {
    this.#camera.zoom(factor);
  }

  pan(x, y) {
    this.#camera.pan(x, y);
  }

  // --- drawing

  /** The camera shows another part of the map. */
  #moved() {
    const { scale } = this.#camera;
    this.#host.classList.toggle("far", scale < FAR);
    if (this.#ink === this.#elements) this.#world.style.setProperty("--unzoom", unzoomed(scale).toFixed(3));
    this.#draw();
    this.dispatchEvent(new CustomEvent("moved"));
  }

  #draw() {
    if (this.#ink !== this.#stamps || !this.#places.size) return; // the browser draws elements by itself
    const { x, y, scale, window } = this.#camera;
    this.#stamps.draw({ x, y, scale, ...window, isFar: scale < FAR, unzoom: unzoomed(scale), isResource: this.view === "resource" });
  }

  #sameShape() {
    return this.#places.size === this.map.icons.size && [...this.map.icons.values()].every((icon) => {
      const place = this.#places.get(icon.thing.id);
      return place && place.where === `${icon.board} ${icon.thing.position}`;
    });
  }

  #build() {
    const { hand } = this.#universe.appearance;
    const isOwnHand = (id) => hand !== "" && this.map.icons.get(id).owners.includes(this.#universe.me);
    const below = planBoards(this.map.boards, isOwnHand);
    const hasTrays = below.some(({ spots }) => [...spots.values()].some(({ kind }) => kind === "tray"));
    this.#layouts = hasTrays ? [below, planBoards(this.map.boards, isOwnHand, true)] : [below];
    this.#plans = [];
    this.#front = null;
    this.#show();
  }

  /** Draw the boards of a layout anew. */
  #construct(plans) {
    this.#places.clear();
    this.#plans = plans;
    this.#ink.clear();
    this.#ink = this.map.icons.size > MOST_ELEMENTS ? this.#stamps : this.#elements;
    const groups = plans.map((plan, at) => {
      const inner = s("g", { transform: `translate(${plan.shift.x} ${plan.shift.y})` });
      if (plan.grid) inner.append(s("rect", { class: "board", x: -6, y: -6, width: this.#extent(plan, "x") + 12, height: this.#extent(plan, "y") + 12, rx: 8 }));
      plan.cells = s("g", { class: "cells" });
      plan.regions = s("g", { class: "regions" });
      inner.append(plan.cells, plan.regions, ...this.#ink.layers(plan));
      inner.append(...this.#edge(plan));
      plan.terrain = boardTerrain(plan.title) || "plain";
      for (const icon of this.map.boards[at].icons) this.#addPlace(plan, icon);
      const middle = plan.grid ? plan.shift.x + this.#extent(plan, "x") / 2 : plan.width / 2;
      plan.heading = s("text", { class: "title", x: middle, y: -13, text: plan.title });
      plan.group = s("g", { class: "plan", id: `board-${plan.id}` }, plan.heading, inner);
      plan.holder = s("g", {}, plan.group); // what is hidden is not what the small pictures show
      return plan.holder;
    });
    this.#world.replaceChildren(...groups);
    for (const ring of Object.values(this.#rings)) ring.setAttribute("visibility", "hidden");
    this.#cursor = null;
    this.drawRegions();
  }

  /** Boards may be called otherwise than before. */
  #retitle() {
    this.map.boards.forEach(({ thing: { name } }, at) => {
      const plan = this.#plans[at];
      if (plan.title === name) return;
      plan.title = name;
      say(plan.heading, name);
      this.#showChoice();
    });
  }

  /** What columns and rows are called, below and on the left of a board. */
  #edge(plan) {
    const { columns, rows } = plan.edges;
    const bottom = columns.size ? this.#extent(plan, "y") + 11 : 0;
    return [
      ...[...columns].map(([x, text]) => s("text", { class: "edge", x, y: bottom, text })),
      ...[...rows].map(([y, text]) => s("text", { class: "edge side", x: -13, y, text })),
    ];
  }

  #extent(plan, axis) {
    return Math.max(...[...plan.spots.values()].filter((spot) => spot.kind === "square").map((spot) => spot[axis])) + CELL / 2;
  }

  #addPlace(plan, icon) {
    const spot = plan.spots.get(icon.thing.id);
    const { width, height } = spot;
    const cell = s("rect", { x: spot.x - width / 2, y: spot.y - height / 2, width, height, rx: spot.kind === "tray" ? 10 : null, "data-id": spot.id });
    plan.cells.append(cell);
    const place = { icon, spot, plan, cell, shown: null, pieKey: null, where: `${icon.board} ${icon.thing.position}` };
    this.#places.set(spot.id, place);
    this.#refresh(place);
  }

  /** Draw a place anew if anything there is not as it was. */
  #refresh(place) {
    const universe = this.#universe;
    const id = place.spot.id;
    place.icon = this.map.icons.get(id);
    const members = this.#members.get(id);
    if (!sameObjects(members, place.shown)) {
      place.shown = members;
      place.pieKey = null;
      const mark = normalMark(universe, place.icon, members, place.spot, this.isOld);
      const look = `${mark.key} ${mark.terrain}`;
      if (look !== place.look) {
        place.look = look;
        place.cell.setAttribute("class", `cell ${place.spot.kind} t-${mark.terrain || place.plan.terrain}`);
        this.#ink.normal(place, mark);
      }
      if (place.spot.kind !== "square") {
        const name = universe.objectName(id);
        this.#ink.name(place, name.length > 24 ? `${name.slice(0, 23)}…` : name);
      }
    }
    if (this.view === "resource") this.#refreshPie(place);
  }

  #refreshPie(place) {
    const key = `${this.map.largest}|${this.map.smallest}`;
    if (key === place.pieKey) return;
    place.pieKey = key;
    this.#ink.pie(place, pieMark(this.#universe, this.map, place.icon, this.ticked));
  }

  #refreshPies() {
    if (this.view === "resource") for (const place of this.#places.values()) this.#refreshPie(place);
    this.#draw();
  }

  /** A tint for each region, with an edge around it, in its owner's colour. */
  drawRegions() {
    if (!this.map) return;
    const drawn = new Map(this.#plans.map((plan) => [plan, []]));
    for (const { ids, owner, name } of this.#universe.standing?.regions ?? []) {
      const byPlan = new Map();
      for (const id of ids) {
        const place = this.#places.get(this.map.iconOf.get(id));
        if (place?.spot.kind !== "square") continue;
        if (!byPlan.has(place.plan)) byPlan.set(place.plan, []);
        byPlan.get(place.plan).push(place.spot);
      }
      for (const [plan, spots] of byPlan) drawn.get(plan).push(regionMark(spots, playerClass(this.#universe, owner), name));
    }
    for (const [plan, marks] of drawn) plan.regions.replaceChildren(...marks);
  }

  /** Draw the lines along the destinations of my orders. */
  drawLines() {
    if (!this.map) return;
    const lines = paths(this.map, this.#universe).map(({ thing, stops }) => {
      const points = stops.map((stop) => this.stopAt(stop)).filter(Boolean);
      const d = points.map(({ x, y }, at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
      return points.length > 1 && s("path", { class: `path ${playerClass(this.#universe, thing.owner)}`, d, "marker-end": "url(#arrow)", "data-id": thing.id });
    });
    this.#lines.replaceChildren(...lines.filter(Boolean));
    this.dispatchEvent(new CustomEvent("drawn"));
  }

  /** Where a corner of a path is in the whole drawing. */
  stopAt({ board, position, icon }) {
    if (icon !== null) return this.#at(icon);
    const plan = this.#plans.find((one) => one.id === board);
    if (!plan) return null;
    const { x, y } = plan.place(position);
    return { x: x + plan.x + plan.shift.x, y: y + plan.y + plan.shift.y };
  }

  /** Where a place is in the whole drawing. */
  #at(id) {
    const place = this.#places.get(id);
    if (!place) return null;
    const { spot, plan } = place;
    return { x: spot.x + plan.x + plan.shift.x, y: spot.y + plan.y + plan.shift.y };
  }

  /** Where a place is in the whole drawing, and whether it is a square, a tray or a star; null if it is none. */
  spot(id) {
    const at = this.#at(id);
    return at && { ...this.#places.get(id).spot, ...at };
  }

  /** Where a place is in the window. */
  onScreen(id) {
    const at = this.#at(id);
    if (!at) return null;
    const { left, top } = this.#host.getBoundingClientRect();
    return { x: left + this.#camera.x + at.x * this.#camera.scale, y: top + this.#camera.y + at.y * this.#camera.scale, reach: (CELL / 2) * this.#camera.scale };
  }

  focus() {
    this.#host.focus();
  }

  #mark(kind, id) {
    const ring = this.#rings[kind];
    const at = id === null ? null : this.#at(id);
    ring.setAttribute("visibility", at ? "visible" : "hidden");
    if (!at) return;
    const { spot } = this.#places.get(id);
    const [width, height] = [spot.width - 2, spot.height - 2];
    for (const [name, value] of Object.entries({ x: at.x - width / 2, y: at.y - height / 2, width, height, rx: 6 })) ring.setAttribute(name, value);
  }

  #resized() {
    this.#camera.resized();
    if (this.#plans.length && !this.#camera.moved) this.#show();
    else this.#draw();
  }

  // --- pointing

  #placeOf(event) {
    const cell = event.target.closest?.(".cell");
    return cell ? Number(cell.dataset.id) : null;
  }

  /** Chooses what was pressed: by the release the map may have moved below the pointer, and the player saw what was there before. */
  #click() {
    const id = this.#pressed;
    if (id === null || this.#camera.wasDragged) return;
    this.hideTip(); // else it would lie over what is lit
    this.#cursor = id;
    this.#rings.cursor.setAttribute("visibility", "hidden"); // it is where the keys were
    this.#choose(id, this.#pieces);
  }

  /** The place that is pressed, and what is there. */
  get #underPress() {
    return { icon: this.#pressed, things: this.members(this.#pressed), pieces: this.#pieces };
  }

  // --- dragging: by fingers only the map is moved

  #take({ button, pointerType }) {
    const id = this.#pressed;
    if (button || pointerType === "touch" || this.#picking || id === null) return;
    const detail = this.#underPress;
    if (!this.isDraggable(detail)) return;
    this.#held = detail;
    this.#camera.isHeld = true;
  }

  #carry({ buttons, clientX, clientY }) {
    if (!this.#held || !this.#camera.wasDragged || !buttons) return;
    if (!this.#isDragging) {
      this.#isDragging = true;
      this.#host.classList.add("dragging");
      this.dispatchEvent(new CustomEvent("drag", { detail: this.#held }));
    }
    const from = this.#at(this.#held.icon);
    const { left, top } = this.#host.getBoundingClientRect();
    const { x, y, scale } = this.#camera;
    if (from) this.#pull.setAttribute("d", `M${from.x} ${from.y}L${(clientX - left - x) / scale} ${(clientY - top - y) / scale}`);
    this.#pull.setAttribute("class", `path pull ${playerClass(this.#universe, this.#universe.me)}`);
  }

  #drop({ type, clientX, clientY }) {
    if (!this.#held) return;
    const { icon } = this.#held;
    const wasDragging = this.#isDragging;
    this.#held = null;
    this.#isDragging = this.#camera.isHeld = false;
    this.#pull.setAttribute("d", "");
    this.#host.classList.remove("dragging");
    if (!wasDragging || type !== "pointerup") return;
    const target = document.elementFromPoint(clientX, clientY);
    const id = target && this.#drawing.contains(target) ? this.#placeOf({ target }) : null;
    if (id === null || id === icon) return;
    this.#cursor = id;
    this.dispatchEvent(new CustomEvent("drop", { detail: { icon: id, things: this.members(id), pieces: [] } }));
  }

  #piecesUnder({ clientX, clientY }, id) {
    const { spot } = this.#places.get(id);
    const at = this.onScreen(id);
    const { scale } = this.#camera;
    return this.view === "normal" ? piecesAt(this.#universe, this.members(id), spot, (clientX - at.x) / scale, (clientY - at.y) / scale) : [];
  }

  #choose(id, pieces = []) {
    const detail = { icon: id, things: this.members(id), pieces };
    this.dispatchEvent(new CustomEvent(this.#picking ? "pick" : "select", { detail }));
  }

  #hover(event) {
    const id = this.#placeOf(event);
    if (id === null || event.pointerType === "touch") {
      this.hideTip();
      return;
    }
    this.#fillTip(id, this.#piecesUnder(event, id));
    const { left, top, width, height } = this.#host.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const right = x > width / 2;
    this.#tip.style.setProperty("--x", `${right ? x - 14 - this.#tip.offsetWidth : x + 14}px`);
    this.#tip.style.setProperty("--y", `${Math.min(y + 14, height - this.#tip.offsetHeight - 4)}px`);
  }

  /** Where several kinds of pieces are, that which is pointed at comes first: a click would mean it. */
  #fillTip(id, under) {
    const key = [id, under[0]?.id].join();
    if (!this.#tip.hidden && this.#tip.dataset.key === key) return;
    this.#tip.dataset.key = key;
    this.#tip.hidden = false;
    this.dispatchEvent(new CustomEvent("point", { detail: { icon: id, things: this.members(id), pieces: under } }));
    const all = this.members(id);
    const words = (things) => placeWords(this.#universe, this.map.icons.get(id), things).pieces;
    const pointed = under.length && words(all).length > 1 ? words(under) : [];
    this.#tip.replaceChildren(...[...pointed, ...this.lines(id)].map((text, at) => h(at ? "div" : "strong", { text })));
  }

  /** Until the pointer moves. */
  hideTip() {
    this.#tip.hidden = true;
  }

  /** A place in words, as the view shows it: its name first. @returns {string[]} */
  lines(id) {
    const icon = this.map.icons.get(id);
    if (!icon) return [];
    const { name, pieces, ground } = placeWords(this.#universe, icon, this.members(id));
    if (this.view === "resource") return [name, ...tooltip(icon, this.#universe.resources, this.#universe.words.resources)];
    const owners = icon.owners.map((owner) => (owner === this.#universe.me ? WORDS.common.yourself : this.#universe.playerName(owner)));
    const click = this.explain(id);
    return [name, click, WORDS.map.owners({ names: owners }), ...pieces.slice(0, 8), pieces.length > 8 && WORDS.common.more({ count: pieces.length - 8 }), ...ground].filter(Boolean);
  }

  // --- keys

  #enter() {
    if (!this.map?.icons.size) return;
    if (this.#cursor === null || !this.map.icons.has(this.#cursor)) this.#cursor = this.#selected ?? this.#first();
    this.#moveCursor(this.#cursor, false);
  }

  #first() {
    const mine = [...this.map.icons.values()].find((icon) => icon.owners.includes(this.#universe.me));
    return (mine ?? this.map.icons.values().next().value).thing.id;
  }

  #moveCursor(id, tell = true) {
    this.#cursor = id;
    this.#mark("cursor", id);
    this.#reveal(id);
    if (tell || document.activeElement === this.#host) say($("cursor-news"), this.lines(id).join(". "));
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.map) return;
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (direction && event.shiftKey) this.pan(-80 * direction[0], -80 * direction[1]);
    else if (direction) this.#step(direction);
    else if ((event.key === "Enter" || event.key === " ") && this.#cursor !== null) this.#choose(this.#cursor);
    else if (event.key === "Escape" && this.#picking) this.dispatchEvent(new CustomEvent("cancel"));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest place in a direction: what is straight ahead counts as nearer than what is aside. */
  #step([dx, dy]) {
    const from = this.#at(this.#cursor ?? this.#first());
    let best = null;
    let least = Infinity;
    for (const id of this.#places.keys()) {
      const { x, y } = this.#at(id);
      const ahead = (x - from.x) * dx + (y - from.y) * dy;
      const aside = Math.abs((x - from.x) * dy) + Math.abs((y - from.y) * dx);
      if (ahead < 1 || aside > ahead * 2) continue;
      const far = ahead + 2 * aside;
      if (far < least) [best, least] = [id, far];
    }
    if (best !== null) this.#moveCursor(best);
  }
}

/** Squares with a tint, and an edge where the next square is not one of them. */
function regionMark(spots, kind, name) {
  const [half, inner] = [CELL / 2, CELL / 2 - 2.5];
  const taken = new Set(spots.map(({ x, y }) => `${x} ${y}`));
  const tint = spots.map(({ x, y }) => `M${x - half} ${y - half}h${CELL}v${CELL}h${-CELL}z`);
  const edge = spots.flatMap(({ x, y }) =>
    [[0, -1], [1, 0], [0, 1], [-1, 0]].map(([dx, dy]) => {
      if (taken.has(`${x + dx * CELL} ${y + dy * CELL}`)) return "";
      // Drawn a little inside, but up to the next square where the region goes on.
      const reach = (way) => (taken.has(`${x + way * dy * CELL} ${y + way * dx * CELL}`) ? half : inner);
      const [from, to] = [-reach(-1), reach(1)];
      return `M${x + dx * inner + dy * from} ${y + dy * inner + dx * from}L${x + dx * inner + dy * to} ${y + dy * inner + dx * to}`;
    }),
  );
  return s("g", { class: `region ${kind}`, "data-name": name }, s("path", { class: "tint", d: tint.join("") }), s("path", { class: "edge-line", d: edge.join("") }));
}

/** How many times larger something has to be drawn to keep its size where the map is small. */
const unzoomed = (scale) => Math.max(1, 1 / scale);

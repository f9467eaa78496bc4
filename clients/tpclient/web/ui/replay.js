// The animation of a closing on the board.
// Moved pieces slide, lost ones fade, new ones grow, and captured ones flip to their new color. Fights shake their
// square, and changed places keep a tint. The board itself shows the new position at once. The animation lies above it.

import { difference, fightsOf, positionOf } from "../core/changes.js";
import { s } from "./dom.js";
import { CELL } from "./layout.js";
import { frame } from "./lights.js";
import { isPiece, loneMarks } from "./marks.js";
import { drawn } from "./shapes.js";

/** Milliseconds: all of it, a slide, a fade, and when what is new begins to grow. */
const ALL = 1000;
const SLIDE = 700;
const FADE = 500;
const GROW_AT = 450;
/** Milliseconds: each half of a flip, a shake, both strengths; and how long after the closing a fight may still begin. */
const FLIP = 300;
const SHAKE = 400;
const STRENGTHS = 900;
const LATEST = 1500 - STRENGTHS;
/** More pieces than so many do not play; their places are tinted. */
const MOST_GHOSTS = 80;
const MOST_FIGHTS = 8;

const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
const around = (spot) => (spot.kind === "tray" ? frame(spot, spot.width - 3, spot.height - 3, 9) : frame(spot, spot.width - 3, spot.height - 3, 5));

export class Replay {
  #page;
  #ghosts = s("g", { class: "replay" });
  #tint = s("path", { class: "tint" });
  #places = new Set();
  /** The last position that was seen, and its turn. @type {import("../core/changes.js").Position|null} */
  #before = null;
  #turn = -1;
  /** @type {Animation[]} */
  #running = [];
  /** The closing that plays: its turn, when it began, which places it shook, and which fights are told. */
  #closing = null;

  /** @param {Object} page `player`, `map`, `past`, `story` */
  constructor(page) {
    this.#page = page;
    page.map.overworld.prepend(this.#tint);
    page.map.overworld.append(this.#ghosts);
    page.map.addEventListener("drawn", () => this.#drawTint());
    for (const name of ["pointerdown", "keydown"]) addEventListener(name, () => this.skip(), { capture: true, passive: true });
  }

  /** Another game: what it looks like is no change. */
  reset() {
    this.skip();
    this.#remember();
    this.tint(new Set());
  }

  /** Objects of the game have changed. @param {boolean} isBack whether we were away: then several turns are not played */
  changed(isBack = false) {
    const { map, past, player } = this.#page;
    const before = this.#before;
    const turns = player.turn - this.#turn;
    const now = past.isShown ? null : this.#remember();
    if (!before || !now || turns <= 0) return;
    const found = difference(before, now);
    this.skip();
    this.tint(found.places);
    this.#closing = null;
    if (isCalm() || map.view !== "normal" || (isBack && turns > 1)) return;
    this.#closing = { turn: player.turn, began: performance.now(), fights: new Set() };
    this.#play(found);
    for (const id of [...found.struck].slice(0, MOST_FIGHTS)) this.#shake(id, SLIDE - SHAKE / 2);
    this.told();
  }

  /** What happened has become known: its fights are played, unless the closing is over already. */
  told() {
    const { map, player, story } = this.#page;
    const closing = this.#closing;
    if (!closing || closing.turn !== player.turn || isCalm() || performance.now() - closing.began > LATEST) return;
    for (const { id, strengths } of fightsOf(story.card(closing.turn)?.reports ?? [])) {
      const place = map.map?.iconOf.get(id);
      if (place === undefined || closing.fights.has(place) || closing.fights.size >= MOST_FIGHTS) continue;
      closing.fights.add(place);
      this.#shake(place);
      if (strengths) this.#tellStrengths(place, strengths);
    }
  }

  /** The board shows the game again, not an old turn. */
  back() {
    this.skip();
    this.#remember();
    this.tint(new Set());
  }

  #remember() {
    const { map, player } = this.#page;
    this.#before = map.map && positionOf(player.universe, map.map);
    this.#turn = player.turn;
    return this.#before;
  }

  /** Tint these places, and no others. @param {Set<number>} places */
  tint(places) {
    this.#places = places;
    this.#drawTint();
  }

  #drawTint() {
    const { map } = this.#page;
    const spots = [...this.#places].map((id) => map.spot(id)).filter(Boolean);
    this.#tint.setAttribute("d", spots.map(around).join(""));
    this.#tint.dataset.ids = [...this.#places].join(" ");
  }

  /** Show the end of what plays. */
  skip() {
    const running = this.#running;
    this.#running = [];
    this.#closing = null;
    for (const one of running) one.cancel();
    this.#ghosts.replaceChildren();
  }

  /** Shake what stands at a place. */
  #shake(id, delay = 0) {
    const { map } = this.#page;
    const [mark, spot] = [map.markOf(id), map.spot(id)];
    if (!mark || !spot) return; // large maps are a canvas
    const at = (x) => ({ transform: `translate(${spot.x + x}px, ${spot.y}px)` });
    this.#running.push(mark.animate([0, 6, -6, 5, -5, 3, 0].map(at), { duration: SHAKE, delay, easing: "linear" }));
  }

  #tellStrengths(id, text) {
    const spot = this.#page.map.spot(id);
    if (!spot) return;
    const width = 12 + 9 * text.length;
    const sign = s("g", { class: "strengths" }, s("rect", { x: -width / 2, y: -12, width, height: 24, rx: 6 }), s("text", { y: 5, text }));
    this.#ghosts.append(s("g", { transform: `translate(${spot.x} ${spot.y - CELL / 2})` }, sign));
    const shown = sign.animate([{ opacity: 0 }, { opacity: 1, offset: 0.15 }, { opacity: 1, offset: 0.85 }, { opacity: 0 }], { duration: STRENGTHS, fill: "both" });
    shown.onfinish = () => sign.parentNode?.remove();
    this.#running.push(shown);
  }

  #play({ moved, gone, born, taken }) {
    const { map, player } = this.#page;
    const { universe } = player;
    const slides = together(moved, ({ from, to }) => `${from} ${to}`).map(([{ from, to }, things]) => ({ from: map.spot(from), to: map.spot(to), things }));
    const fades = together(gone, ({ at }) => at).map(([{ at }, things]) => ({ to: map.spot(at), things }));
    const grows = together(born, ({ at }) => at).map(([{ at }, things]) => ({ to: map.spot(at), things }));
    const count = slides.length + fades.length + grows.length + 2 * taken.length;
    if (count > MOST_GHOSTS || moved.length + gone.length + born.length + taken.length === 0) return;
    const put = ({ to, things }, call) => {
      for (const mark of to ? loneMarks(universe, things) : []) {
        const ghost = s("g", {}, drawn(mark));
        this.#ghosts.append(s("g", { transform: `translate(${to.x} ${to.y})` }, ghost));
        this.#running.push(call(ghost));
      }
    };
    for (const one of fades) put(one, (ghost) => ghost.animate([{ opacity: 1 }, { opacity: 0, transform: "scale(0.5)" }], { duration: FADE, fill: "both", easing: "ease-in" }));
    for (const one of grows) put(one, (ghost) => ghost.animate([{ opacity: 0, transform: "scale(0.2)" }, { opacity: 1, transform: "none" }], { delay: GROW_AT, duration: FADE, fill: "both", easing: "ease-out" }));
    for (const one of slides.filter(({ from }) => from)) {
      const { from, to } = one;
      put(one, (ghost) => ghost.animate([{ transform: `translate(${from.x - to?.x}px, ${from.y - to?.y}px)` }, { transform: "none" }], { duration: SLIDE, fill: "both", easing: "ease-in-out" }));
    }
    const [open, shut] = [{ transform: "none" }, { transform: "scaleX(0)" }];
    for (const { was, thing, at } of taken) {
      put({ to: map.spot(at), things: [was] }, (ghost) => ghost.animate([open, shut], { delay: FLIP, duration: FLIP, fill: "both", easing: "ease-in" }));
      put({ to: map.spot(at), things: [thing] }, (ghost) => ghost.animate([shut, open], { delay: 2 * FLIP, duration: FLIP, fill: "both", easing: "ease-out" }));
    }
    this.#hide(moved, [...born, ...taken]);
    const clock = this.#ghosts.animate({ opacity: [1, 1] }, ALL);
    clock.onfinish = () => {
      for (const one of [...this.#ghosts.children]) if (!one.querySelector(".strengths")) one.remove();
    };
    this.#running.push(clock);
  }

  /** Where all that stands has just come, the place is empty until it is there. */
  #hide(moved, born) {
    const { map } = this.#page;
    const came = new Set([...moved, ...born].map(({ thing }) => thing.id));
    for (const id of new Set([...moved.map(({ to }) => to), ...born.map(({ at }) => at)])) {
      const pieces = map.members(id).filter((thing) => isPiece(thing) && thing.id !== id);
      if (!pieces.length || !pieces.every((thing) => came.has(thing.id))) continue;
      const mark = map.markOf(id);
      if (mark) this.#running.push(mark.animate({ opacity: [0, 0, 1] }, { duration: ALL, easing: "linear" }));
    }
  }
}

/** Changes with the same key as one: the first of them, and all their pieces. */
function together(changes, keyOf) {
  const found = new Map();
  for (const one of changes) {
    const key = keyOf(one);
    if (!found.has(key)) found.set(key, [one, []]);
    found.get(key)[1].push(one.thing);
  }
  return [...found.values()];
}

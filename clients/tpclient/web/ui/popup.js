// A small box beside its subject: a question with buttons, or a sentence.

import { h, say, show } from "./dom.js";

const SECONDS = 9;
const MARGIN = 6;

export class Popup {
  #box = h("div", { class: "popup", role: "group", hidden: true });
  #word = h("p", { class: "popup reason", "aria-hidden": "true", hidden: true });
  #anchor = null;
  #wordAnchor = null;
  #timer = 0;
  /** Where the keyboard goes when the box is closed. */
  #back = () => {};

  constructor() {
    document.body.append(this.#box, this.#word);
    this.#box.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("pointerdown", (event) => this.#box.contains(event.target) || this.hush(), true);
    document.addEventListener("keydown", () => this.hush(), true);
    addEventListener("scroll", () => this.place(), true);
  }

  get isOpen() {
    return !this.#box.hidden;
  }

  /**
   * Ask something. @param {() => {x: number, y: number}|null} anchor where in the window that is now
   * @param {string} title @param {Node[]} answers @param {() => void} back see `#back`
   */
  ask(anchor, title, answers, back) {
    this.hush();
    this.#anchor = anchor;
    this.#back = back;
    this.#box.setAttribute("aria-label", title);
    show(this.#box, h("p", { text: title }), h("div", { class: "answers" }, answers));
    this.#box.hidden = false;
    this.place();
    this.#box.querySelector("input, .answers button")?.focus({ preventScroll: true });
  }

  close() {
    if (this.#box.hidden) return;
    const had = this.#box.contains(document.activeElement);
    this.#box.hidden = true;
    if (had) this.#back();
  }

  /** Say a sentence there until something is done, or some seconds have passed. */
  tell(anchor, text) {
    this.#wordAnchor = anchor;
    say(this.#word, text);
    this.#word.hidden = false;
    this.place();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hush(), SECONDS * 1000);
  }

  hush() {
    this.#word.hidden = true;
  }

  /** Put both where they belong, but inside of the window: the question below its place, the sentence above, for the map's own note is below. */
  place() {
    for (const [box, anchor] of [[this.#box, this.#anchor], [this.#word, this.#wordAnchor]]) {
      const at = !box.hidden && anchor();
      if (!at) continue;
      const { offsetWidth, offsetHeight } = box;
      const below = at.y + (at.reach ?? 0) + MARGIN;
      const above = at.y - (at.reach ?? 0) - MARGIN - offsetHeight;
      const isAbove = above > 0 && (box === this.#word || below + offsetHeight > innerHeight - MARGIN);
      const y = isAbove ? above : below;
      box.style.left = `${Math.max(MARGIN, Math.min(at.x - offsetWidth / 2, innerWidth - offsetWidth - MARGIN))}px`;
      box.style.top = `${Math.max(MARGIN, Math.min(y, innerHeight - offsetHeight - MARGIN))}px`;
    }
  }

  /** Arrow keys go from answer to answer. */
  #key(event) {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!by || event.target.tagName === "INPUT") return;
    const buttons = [...this.#box.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    buttons[(at + by + buttons.length) % buttons.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}

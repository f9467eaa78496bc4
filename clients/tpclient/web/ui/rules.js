// The dialog of the rules with contents and keys, and links into it.

import { paragraphOf } from "../core/rules.js";
import { WORDS } from "../words.js";
import { isAsked, setAsked } from "./asking.js";
import { $, h, say, show } from "./dom.js";
import { blockElement } from "./markdown.js";
import { sentence } from "./toasts.js";

/** Beside the text from this width on; below it the contents are folded over it. */
const WIDE = "(min-width: 821px)";
const MOST_LINKS = 4;
/** The question before a turn is finished without an order. */
export const FINISH = "finish";

export class RulesDialog {
  #page;
  /** What is drawn. @type {import("../core/rules.js").Rules|null} */
  #drawn = null;
  #serial = 0;

  /** @param {Object} page `player`, `rules` (of the game that is played; null: none, or not known yet) */
  constructor(page) {
    this.#page = page;
    $("ask-first").addEventListener("change", (event) => setAsked(FINISH, event.target.checked));
  }

  /** Show the keys, and the rules of the game that is played. */
  open() {
    const { player } = this.#page;
    if (player.state === "playing" || player.state === "returning") this.read(() => player.ownRules());
    else {
      this.#serial++;
      this.#say(WORDS.rules.title, WORDS.rules.inList);
      this.#show();
    }
  }

  /**
   * Show rules, at a paragraph of theirs.
   * @param {() => Promise<import("../core/rules.js").Rules>} ask @param {number} at index of a heading, -1: the beginning
   */
  async read(ask, at = -1) {
    const serial = ++this.#serial;
    if (!this.#drawn) this.#say(WORDS.rules.title, WORDS.rules.asking);
    this.#show();
    try {
      const rules = await ask();
      if (serial !== this.#serial) return;
      this.#draw(rules);
      if (at >= 0) this.#goTo(at);
    } catch (error) {
      if (serial === this.#serial) this.#say(WORDS.rules.title, WORDS.rules.notShown({ why: sentence(error) }));
    }
  }

  /**
   * Buttons that open the rules where they tell of something; none where they do not, or are not known.
   * @param {"pieces"|"orders"} section @param {{names: string[], label: string}[]} things what each may be called in a heading, and is for people
   */
  links(section, things) {
    const { rules } = this.#page;
    const found = new Map();
    for (const { names, label } of things) {
      const place = paragraphOf(rules, section, names);
      if (place && !found.has(place.at) && found.size < MOST_LINKS) found.set(place.at, label);
    }
    return [...found].map(([at, name]) => h("button", { type: "button", class: "link rule", "aria-haspopup": "dialog", onclick: () => this.read(async () => rules, at), text: WORDS.rules.of({ name }) }));
  }

  #show() {
    if ($("help").open) return;
    $("ask-first").checked = isAsked(FINISH);
    $("help").showModal();
    $("rules").focus();
  }

  #say(title, text) {
    this.#drawn = null;
    say($("help-title"), title);
    show($("rules-contents"));
    show($("rules"), h("p", { role: "status", text }));
  }

  #draw(rules) {
    if (rules === this.#drawn) return;
    this.#drawn = rules;
    say($("help-title"), rules.title);
    const [first] = rules.blocks;
    const rest = first?.kind === "heading" && first.text === rules.title ? 1 : 0; // the title is above already
    const elements = rules.blocks.map((block, at) => (at < rest ? null : blockElement(block, 1, block.kind === "heading" ? { id: `rule-${at}`, tabindex: -1 } : {})));
    show($("rules"), elements, !rules.blocks.length && h("p", { text: rules.goal || WORDS.rules.none }));
    $("rules").scrollTop = $("rules").parentElement.scrollTop = 0;
    show($("rules-contents"), this.#contents(rules));
  }

  /** Parts, with the pieces and orders in them. */
  #contents(rules) {
    const parts = [];
    rules.blocks.forEach((block, at) => {
      if (block.kind !== "heading" || block.level === 1) return;
      if (block.level === 2 || !parts.length) parts.push({ at, block, inside: [] });
      else parts.at(-1).inside.push({ at, block });
    });
    if (!parts.length) return null;
    const link = ({ at, block }) => h("a", { href: `#rule-${at}`, onclick: (event) => this.#follow(event, at), text: block.text });
    const list = parts.map((part) => h("li", {}, link(part), part.inside.length > 0 && h("ul", {}, part.inside.map((one) => h("li", {}, link(one))))));
    const keys = h("li", { class: "to-keys" }, h("a", { href: "#keys", onclick: (event) => this.#goToElement(event, $("keys")), text: WORDS.rules.keys }));
    return h("details", { open: matchMedia(WIDE).matches }, h("summary", { text: WORDS.rules.contents }), h("ul", {}, list, keys));
  }

  #follow(event, at) {
    event.preventDefault(); // the address of the page is for login links
    this.#goTo(at);
  }

  #goTo(at) {
    this.#goToElement(null, $(`rule-${at}`));
  }

  #goToElement(event, element) {
    event?.preventDefault();
    const contents = $("rules-contents").firstElementChild;
    if (contents && !matchMedia(WIDE).matches) contents.open = false;
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "start" });
  }
}

// The rules for players, from a Rules frame.
// It also finds the parts about a piece or an order.

import { readMarkdown } from "./markdown.js";
import { text } from "./values.js";

/** Of titles and goals so many characters are taken; servers send fewer. */
const LONGEST_LINE = 300;
/** Headings of the third level under these tell of one piece, or of one order, each. */
const SECTIONS = { pieces: "Pieces", orders: "Orders" };

/**
 * `pieces` and `orders`: by name, the index in `blocks` of the heading that tells of it; see `paragraphOf`.
 * @typedef {{ruleset: string, version: string, title: string, goal: string, blocks: import("./markdown.js").Block[],
 *   pieces: Map<string, number>, orders: Map<string, number>}} Rules
 */

/** @param {Object} body of a Rules frame @returns {Rules} */
export function readRules(body) {
  const blocks = readMarkdown(text(body.text));
  const [ruleset, version] = [text(body.ruleset), text(body.version)];
  const title = text(body.title).slice(0, LONGEST_LINE) || ruleset;
  return { ruleset, version, title, goal: text(body.goal).slice(0, LONGEST_LINE), blocks, ...namedIn(blocks) };
}

/** "RedCube", "Red Cube" and "red cube" are one name. */
export const plain = (name) => name.toLowerCase().replace(/[\s_-]+/g, "");

function namedIn(blocks) {
  const found = { pieces: new Map(), orders: new Map() };
  let section = null;
  blocks.forEach((block, at) => {
    if (block.kind !== "heading") return;
    if (block.level < 3) section = Object.keys(SECTIONS).find((key) => block.level === 2 && SECTIONS[key] === block.text.trim());
    else if (section) {
      for (const name of [block.text, ...block.text.split(",")].map(plain)) {
        if (name && !found[section].has(name)) found[section].set(name, at);
      }
    }
  });
  return found;
}

/**
 * Where the rules tell of the first of some names that they know.
 * @param {Rules|null} rules @param {"pieces"|"orders"} section @param {string[]} names
 * @returns {{name: string, at: number}|null} the heading's words, and its index in `blocks`
 */
export function paragraphOf(rules, section, names) {
  const name = names.find((one) => rules?.[section].has(plain(one)));
  if (name === undefined) return null;
  const at = rules[section].get(plain(name));
  return { name, at };
}

// Elements for the tree of a Markdown text.
// Text becomes text nodes only, never an attribute.

import { h } from "./dom.js";

const inline = (parts) => parts.map((part) => (typeof part === "string" ? part : h(part.mark, {}, inline(part.parts))));

/**
 * @param {import("../core/markdown.js").Block} block
 * @param {number} below the level of the heading under which all headings stand: 1 makes an h2 of the first level
 * @param {Object} properties of the element
 */
export function blockElement(block, below, properties = {}) {
  if (block.kind === "heading") return h(`h${Math.min(block.level + below, 6)}`, properties, inline(block.parts));
  if (block.kind === "paragraph") return h("p", properties, inline(block.parts));
  const start = block.ordered && block.start !== 1 ? block.start : null;
  return h(block.ordered ? "ol" : "ul", { ...properties, start }, block.items.map((parts) => h("li", {}, inline(parts))));
}

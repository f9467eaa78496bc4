// Marks as plain data. The same data become elements of SVG where a map is small, and strokes of a canvas where it is so
// large that thousands of elements would make it slow.

import { s } from "./dom.js";

/**
 * `properties` are attributes of SVG, "text", and custom properties of CSS ("--room").
 * @typedef {{tag: string, properties: Object, children: Shape[]}} Shape
 */

/** @returns {Shape} `children` as for `s` in dom.js: lists are taken apart, null and false are left out */
export function shape(tag, properties = {}, ...children) {
  return { tag, properties, children: children.flat().filter(Boolean) };
}

/** @param {Shape} one @returns {SVGElement} */
export function drawn({ tag, properties, children }) {
  const element = s(tag, properties);
  for (const child of children) element.append(drawn(child));
  return element;
}

/** An element of SVG as a shape, with all that is in it. @param {Element} element @returns {Shape} */
export function shapeOf(element) {
  const properties = Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
  return shape(element.localName, properties, [...element.children].map(shapeOf));
}

// Marks as plain data, for SVG elements or strokes of a canvas.
// A small map uses SVG. On a large one, thousands of elements would be slow.

import { picture, s } from "./dom.js";

/**
 * `properties` are attributes of SVG, "text", and custom properties of CSS ("--room").
 * @typedef {{tag: string, properties: Object, children: Shape[]}} Shape
 */

/** @returns {Shape} `children` as for `s` in dom.js: lists are taken apart, null and false are left out */
export function shape(tag, properties = {}, ...children) {
  return { tag, properties, children: children.flat().filter(Boolean) };
}

/** A symbol of the game's own in a square around a point. @param {import("../core/appearance.js").Symbol} symbol @returns {Shape} */
export function symbolShape({ box: [x, y, width, height], root }, at, size) {
  const scale = size / Math.max(width, height);
  return shape("g", { class: "symbol", transform: `translate(${at.x} ${at.y}) scale(${scale.toFixed(4)}) translate(${-x - width / 2} ${-y - height / 2})` }, root);
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

/** How something looks, with its mark: as `picture`. @param {import("./pictures.js").Look} look */
export function lookPicture({ picture: name, mark, tone, symbol }) {
  if (symbol) return s("svg", { class: "picture", viewBox: "0 0 24 24", "aria-hidden": "true" }, drawn(symbolShape(symbol, { x: 12, y: 12 }, 24)));
  const svg = picture(name);
  if (tone) svg.classList.add(`tone-${tone}`);
  if (mark) svg.append(s("circle", { class: "emblem", cx: 18, cy: 18, r: 6 }), s("use", { href: `#p-${mark}`, x: 13.5, y: 13.5, width: 9, height: 9, class: "on-emblem" }));
  return svg;
}

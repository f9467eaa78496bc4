// Creates elements. Text becomes text nodes only.
// So markup in names is shown, never interpreted.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element.
 * @param {string} tag
 * @param {Object} [properties] attributes; `onclick` and the like are listeners, `text` is the content, `value`,
 *   `checked`, `selected` and `disabled` are properties, names with "--" are those of CSS; null, undefined and false leave an attribute out
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element, as `h`. @returns {SVGElement} */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "text") element.textContent = value;
    else if (key.startsWith("--")) element.style.setProperty(key, value);
    else if (key === "value" || key === "checked" || key === "selected" || key === "disabled") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

/** The element of the page with this id. @returns {HTMLElement} */
export const $ = (id) => document.getElementById(id);

const present = (children) => children.flat().filter((child) => child !== null && child !== undefined && child !== false && child !== "");

/** Put other children into an element, once no button is pressed. */
export function show(element, ...children) {
  whenReleased(element, () => element.replaceChildren(...present(children)));
}

/**
 * Put other children into an element, so that what is there changes no more than need be: what has the focus keeps it, and a
 * button that is being pressed is the one that is let go. What it does has to depend on nothing but its attributes.
 * @param {Element} element @param {...(Node|Node[]|string|null|undefined|false)} children
 */
export function renew(element, ...children) {
  const wanted = present(children).map((child) => (child instanceof Node ? child : document.createTextNode(child)));
  let there = element.firstChild;
  wanted.forEach((child, at) => {
    if (there && isLike(there, child)) {
      if (!there.isEqualNode(child)) renew(there, ...child.childNodes);
      there = there.nextSibling;
    } else if (there && !wanted.slice(at + 1).some((later) => isLike(there, later))) {
      there.replaceWith(child);
      there = child.nextSibling;
    } else element.insertBefore(child, there);
  });
  while (element.childNodes.length > wanted.length) element.lastChild.remove();
}

/** Whether two nodes are the same but for what is in them; of buttons that nothing else tells apart their words say what they do. */
const isLike = (one, other) => one.isEqualNode(other) || (one instanceof Element && (one.tagName !== "BUTTON" || Boolean(one.id || one.dataset.object)) && one.cloneNode().isEqualNode(other.cloneNode()));

// A click reaches a button only if it is still there, and in its place, when it is let go. So nothing is shown while one is pressed.

/** The button, link or label that the reader presses at this moment. @type {Element|null} */
let pressed = null;
/** The newest drawing of each element that waits for the release. @type {Map<Element, () => void>} */
const waiting = new Map();

addEventListener("pointerdown", (event) => (pressed = event.button === 0 ? event.target.closest("button, a, summary, label") : null), true);
addEventListener("click", () => (pressed = null), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(release), true); // after the click
addEventListener("pointermove", ({ buttons }) => pressed && !buttons && release(), true); // let go where the page did not see it
addEventListener("blur", release);

/** Draw now, or after the click while a button is pressed. */
function whenReleased(element, draw) {
  waiting.delete(element);
  if (pressed) waiting.set(element, draw);
  else draw();
}

function release() {
  pressed = null;
  const drawings = [...waiting.values()];
  waiting.clear();
  for (const draw of drawings) draw();
}

/** Set a text only when it changes, so that screen readers are not told twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** One of our own pictures as an element of HTML. @param {string} name as in pieces.svg, without "p-" */
export function picture(name, title = "") {
  return s(
    "svg",
    { class: `picture c-${name}`, viewBox: "0 0 24 24", role: title ? "img" : null, "aria-label": title || null, "aria-hidden": title ? null : "true" },
    s("use", { href: `#p-${name}` }),
  );
}

/** Bring an element into the window, where the page is longer than that. */
export function reveal(element) {
  element?.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

/** A moment in the reader's own time. @param {number} at in milliseconds since 1970 */
export const moment = (at) => new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

/** Call `work` once, `milliseconds` after the last of several calls; its `cancel` calls it off. */
export function settled(work, milliseconds) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), milliseconds);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}

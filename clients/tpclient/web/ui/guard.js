// One guard for all controls: a second press does not repeat a request.

/** Milliseconds in which the second press of a double one comes. */
const DOUBLE = 350;
/** Pixels within which two presses are at the same place: the control there may be another one by then. */
const NEAR = 8;
const CONTROLS = "button, a, input, select";

/** Presses that have asked for a change or may still do, the newest last. */
let presses = [];

/**
 * Swallow a press while the change that the same control has asked for is not answered, and for a moment after it was pressed.
 * It is free again at once when the change is refused, or something is filled in. Until then a control with an id is marked
 * as busy; the page may replace others meanwhile.
 * @param {import("../core/player.js").Player} player its "asked" events tell of changes
 */
export function guard(player) {
  document.addEventListener("click", (event) => {
    const { clientX: x, clientY: y, detail, isTrusted } = event;
    const press = { control: event.target.closest(CONTROLS) ?? event.target, x, y, isKey: isTrusted && !detail, at: performance.now(), waits: 0, until: 0 };
    const last = presses.at(-1);
    presses = presses.filter(isHeld);
    if (presses.some((one) => isAgain(one, press)) || (detail > 1 && hasGone(last, press))) {
      event.stopImmediatePropagation();
      event.preventDefault();
    } else presses.push(press);
  }, true);
  // A key that is held down presses once.
  document.addEventListener("keydown", (event) => {
    if (!event.repeat || !["Enter", " "].includes(event.key)) return;
    if (event.target.closest?.(event.key === "Enter" ? "textarea" : "textarea, input:not([type=checkbox])")) return;
    event.stopImmediatePropagation();
    event.preventDefault();
  }, true);
  document.addEventListener("input", () => presses.forEach(release), true);
  player.addEventListener("asked", ({ detail: { answer } }) => hold(answer));
}

/** The newest press has asked for a change. @param {Promise} answer to it */
export function hold(answer) {
  const press = presses.at(-1);
  if (!press) return;
  press.until = press.at + DOUBLE;
  press.waits += 1;
  mark(press);
  answer.then(() => (press.waits -= 1), () => {
    press.waits -= 1;
    release(press);
  }).then(() => mark(press));
  setTimeout(mark, DOUBLE, press);
}

/** Whether the second press of a double one falls on what was behind the control of the first. */
const hasGone = (last, press) => last?.control !== press.control && Boolean(last?.control.matches(CONTROLS)) && !last.control.getClientRects().length;

const isHeld = ({ waits, until }) => waits > 0 || performance.now() < until;

function release(press) {
  press.until = 0;
  mark(press);
}

function mark(press) {
  if (press.control.id) press.control.ariaBusy = isHeld(press) ? "true" : null;
}

/** Whether a press repeats one: at the same control, the same place, or by a key as the focus has moved. */
function isAgain(one, press) {
  if (one.control === press.control) return true;
  if (one.isKey || press.isKey) return one.isKey && press.isKey && performance.now() < one.until;
  return press.x + press.y > 0 && Math.abs(one.x - press.x) < NEAR && Math.abs(one.y - press.y) < NEAR;
}

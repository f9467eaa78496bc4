// The layout of the map: squares of a grid, and boards beside each other.
// Boards may also stand above each other.

import { COORDINATES } from "../core/appearance.js";

/** Map units from one square to the next; at scale 1 a unit is a pixel. */
export const CELL = 64;
const GAP = 56;
/** Room for the names of rows and columns. */
const EDGE = 30;
const TITLE = 34;
const TRAY = { width: 3.4 * CELL, height: 1.5 * CELL };
/** The hand of the player is so wide that as many kinds of pieces as are shown stand side by side, if the board is. */
const WIDEST_HAND = 10 * CELL;
/** From the board to the trays, with room for the names of columns. */
const AWAY = 0.55 * CELL;
/** What a piece takes of a hand beside a board, which has room for as many as are shown. */
const PIECE = 60;
const MOST_IN_HAND = 10;
/** From a tray to the next in a column: its name stands between them. */
const BETWEEN = 0.4 * CELL;
/** What of the room of a place is drawn. */
const INSET = { across: 0.2 * CELL, high: 1.24 * CELL };
/** Room for the name of a tray, below it, and for as much above. */
const NAME = TRAY.height - INSET.high;
/** Of all places of a grid so many have to be taken, so that it is drawn as a board with squares. */
const DENSE = 0.45;
/** A row at the edge of a grid with at most this part of its places, all of them owned, is not a part of the board. */
const SPARSE = 0.3;

/**
 * `kind`: "square" of a dense grid, "tray" outside of it, "star" where there is no grid.
 * `width` and `height` are those of what is drawn.
 * @typedef {{id: number, x: number, y: number, kind: "square"|"tray"|"star", width: number, height: number}} Spot
 * @typedef {{id: number, title: string, grid: boolean, width: number, height: number, x: number, y: number,
 *   spots: Map<number, Spot>, place: (position: any[]) => {x: number, y: number},
 *   edges: {columns: Map<number, string>, rows: Map<number, string>}}} Plan `edges` by x and y of the middle of squares
 */

/**
 * Plan each board in itself, with its north at the top and its corner at 0, 0.
 * @param {import("../core/views.js").Board[]} boards
 * @param {(id: number) => boolean} isOwnHand whether a place is the hand of the player, which has more room
 * @param {boolean} isBeside whether trays stand on the right of a board, if its height is enough for them, and not above and below it
 * @returns {Plan[]}
 */
export function planBoards(boards, isOwnHand = () => false, isBeside = false) {
  return boards.map(({ thing: board, icons }) => {
    const points = icons.map(({ thing: { id, position, role }, owners }) => ({ id, x: Number(position[0]), y: Number(position[1]), role, owned: owners.length > 0, isHand: isOwnHand(id) }));
    const plan = planGrid(points, isBeside) ?? planFree(points);
    return edged({ id: board.id, title: board.name, x: 0, y: 0, ...plan }, icons);
  });
}

/** With what its rows and columns are called, and room for that. */
function edged(plan, icons) {
  const edges = edgesOf(plan, icons);
  let { width, height, shift } = plan;
  if (edges.rows.size) {
    const missing = Math.max(0, EDGE - shift.x);
    shift = { ...shift, x: shift.x + missing };
    width += missing;
    height = Math.max(height, Math.max(...edges.rows.keys()) + CELL / 2 + shift.y + EDGE);
  }
  return { ...plan, edges, width, height, shift };
}

function planGrid(points, isBeside) {
  const stepX = step(points.map((point) => point.x));
  const stepY = step(points.map((point) => point.y));
  if (points.length < 6 || !stepX || !stepY) return null;
  const main = peeled(largestPart(points, stepX, stepY), stepX, stepY);
  const [left, right] = ends(main, "x");
  const [bottom, top] = ends(main, "y");
  const columns = Math.round((right - left) / stepX) + 1;
  const rows = Math.round((top - bottom) / stepY) + 1;
  if (main.length < DENSE * columns * rows || main.length < 0.6 * points.length) return null;
  const place = ([x, y]) => ({ x: ((Number(x) - left) / stepX + 0.5) * CELL, y: ((top - Number(y)) / stepY + 0.5) * CELL });
  const spots = new Map(main.map((point) => [point.id, { id: point.id, kind: "square", width: CELL, height: CELL, ...place([point.x, point.y]) }]));
  const size = { width: columns * CELL, height: rows * CELL };
  const inside = new Set(main);
  const others = points.filter((point) => !inside.has(point)).sort((one, other) => one.x - other.x || one.id - other.id);
  const [own, rest] = [others.filter((point) => point.isHand), others.filter((point) => !point.isHand)];
  if (isBeside && placeBeside(own, rest, top, size, spots)) return { grid: true, spots, place, ...grown(spots, size) };
  placeTrays(rest.filter((point) => point.y > top), -1, size, spots);
  const below = rest.filter((point) => point.y <= top);
  const taken = placeHands(own, below, size, spots);
  placeTrays(below.filter((point) => !spots.has(point.id)), 1, size, spots, taken);
  return { grid: true, spots, place, ...grown(spots, size) };
}

/** What columns and rows are called, if the names of the squares tell it without contradiction; else nothing. */
function edgesOf(plan, icons) {
  const [columns, rows] = [new Map(), new Map()];
  for (const { thing } of icons) {
    const spot = plan.spots.get(thing.id);
    const [, column, row] = (spot.kind === "square" && COORDINATES.exec(thing.name)) || [];
    if (column === undefined) continue;
    if ((columns.get(spot.x) ?? column) !== column || (rows.get(spot.y) ?? row) !== row) return { columns: new Map(), rows: new Map() };
    columns.set(spot.x, column);
    rows.set(spot.y, row);
  }
  return { columns, rows };
}

/**
 * The player's hand right under the board, as wide as that at most, and beside it the others if there is room.
 * @returns {number} how many rows of trays are taken
 */
function placeHands(points, others, size, spots) {
  const width = Math.max(TRAY.width - INSET.across, Math.min(size.width, WIDEST_HAND));
  const beside = points.length === 1 && width + others.length * TRAY.width <= size.width ? others : [];
  const left = (size.width - width - beside.length * TRAY.width) / 2;
  const height = INSET.high;
  const y = (row) => size.height + (row + 0.5) * TRAY.height + AWAY;
  points.forEach(({ id }, row) => spots.set(id, { id, kind: "tray", x: left + width / 2, y: y(row), width, height }));
  beside.forEach(({ id }, at) => spots.set(id, { id, kind: "tray", x: left + width + (at + 0.5) * TRAY.width + INSET.across / 2, y: y(0), width: TRAY.width - INSET.across, height }));
  return points.length;
}

/**
 * A column of trays on the right of the board: those of the north from its top down, the player's hand and then the
 * others from its bottom up.
 * @returns {boolean} whether there was room for all; else nothing is placed
 */
function placeBeside(own, rest, top, size, spots) {
  const left = size.width + AWAY / 2;
  const others = rest.length * (INSET.high + BETWEEN);
  const rows = Math.min(5, Math.floor(((size.height - others) / Math.max(own.length, 1) - BETWEEN) / PIECE - 0.3));
  if (own.length ? rows < 2 : others > size.height) return false;
  const columns = Math.ceil(MOST_IN_HAND / rows);
  const hand = { width: (columns + 0.3) * PIECE, height: (rows + 0.3) * PIECE };
  const put = ({ id }, width, height, y) => spots.set(id, { id, kind: "tray", x: left + width / 2, y, width, height });
  let [from, to] = [0, size.height];
  for (const point of own) {
    put(point, hand.width, hand.height, to - hand.height / 2);
    to -= hand.height + BETWEEN;
  }
  for (const point of rest) {
    const isNorth = point.y > top;
    put(point, TRAY.width - INSET.across, INSET.high, isNorth ? from + INSET.high / 2 : to - INSET.high / 2);
    if (isNorth) from += INSET.high + BETWEEN;
    else to -= INSET.high + BETWEEN;
  }
  return true;
}

/** Rows of trays above (side -1) or below (1) the board, centred. */
function placeTrays(points, side, size, spots, first = 0) {
  const perRow = Math.max(1, Math.floor(Math.max(size.width, TRAY.width) / TRAY.width));
  points.forEach(({ id }, at) => {
    const row = Math.floor(at / perRow);
    const inRow = Math.min(perRow, points.length - row * perRow);
    const x = size.width / 2 + ((at % perRow) - (inRow - 1) / 2) * TRAY.width;
    const away = (first + row + 0.5) * TRAY.height + AWAY;
    spots.set(id, { id, kind: "tray", x, y: side < 0 ? -away : size.height + away, width: TRAY.width - INSET.across, height: INSET.high });
  });
}

/** Moves all spots so that the board with its trays begins at 0, 0. */
function grown(spots, { width, height }) {
  let [left, top, right, bottom] = [0, 0, width, height];
  for (const spot of spots.values()) {
    if (spot.kind !== "tray") continue;
    left = Math.min(left, spot.x - (spot.width + INSET.across) / 2);
    right = Math.max(right, spot.x + (spot.width + INSET.across) / 2);
    top = Math.min(top, spot.y - (spot.height + NAME) / 2);
    bottom = Math.max(bottom, spot.y + (spot.height + NAME) / 2);
  }
  return { width: right - left, height: bottom - top, shift: { x: -left, y: -top } };
}

/** No grid: as the positions say, with room for everybody; what is at one place stands side by side. */
function planFree(points) {
  const room = 1.7 * CELL;
  const [left, right] = ends(points, "x");
  const [bottom, top] = ends(points, "y");
  const [wide, high] = [right - left, top - bottom];
  const longest = Math.max(wide, high);
  const isLine = Math.min(wide, high) * points.length < longest;
  const scale = longest && (isLine ? (points.length * room) / longest : Math.sqrt((points.length * room ** 2) / (wide * high)));
  const place = ([x, y]) => ({ x: (Number(x) - left) * scale + CELL, y: (top - Number(y)) * scale + CELL });
  const spots = new Map();
  const taken = new Map();
  for (const { id, x, y } of points) {
    const spot = { id, kind: "star", width: CELL, height: CELL, ...place([x, y]) };
    const before = taken.get(`${x},${y}`) ?? 0;
    taken.set(`${x},${y}`, before + 1);
    spot.x += before * CELL;
    spots.set(id, spot);
  }
  const width = Math.max(CELL, ...[...spots.values()].map((spot) => spot.x + CELL));
  return { grid: false, spots, place, width, height: high * scale + 2 * CELL, shift: { x: 0, y: 0 } };
}

/** The distance that neighbouring values have most often; 0 if there is none. */
function step(values) {
  const sorted = [...new Set(values)].sort((one, other) => one - other);
  const counts = new Map();
  for (let at = 1; at < sorted.length; at++) {
    const gap = sorted[at] - sorted[at - 1];
    counts.set(gap, (counts.get(gap) ?? 0) + 1);
  }
  const [best] = [...counts].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
  return best && best[1] >= (sorted.length - 1) / 3 ? best[0] : 0;
}

/**
 * Without the outermost rows and columns that have hardly any places, all of them somebody's: such are homes beside the
 * board and no part of it.
 */
function peeled(points, stepX, stepY) {
  for (const [axis, other, step] of [["y", "x", stepX], ["x", "y", stepY]]) {
    for (const side of [0, 1]) {
      const edge = ends(points, axis)[side];
      const across = ends(points, other);
      const line = points.filter((point) => point[axis] === edge);
      const length = Math.round((across[1] - across[0]) / (axis === "y" ? stepX : stepY)) + 1;
      if (step && line.length <= SPARSE * length && line.every((point) => point.owned)) points = points.filter((point) => !line.includes(point));
    }
  }
  return points;
}

/** The most points that hang together as squares of a grid, over sides or corners. */
function largestPart(points, stepX, stepY) {
  const byRole = new Map();
  for (const point of points) byRole.set(point.role, (byRole.get(point.role) ?? 0) + 1);
  const [role] = [...byRole].sort((one, other) => other[1] - one[1])[0];
  const key = (column, row) => `${column},${row}`;
  const base = points.find((point) => point.role === role);
  const squares = new Map();
  for (const point of points) {
    const column = (point.x - base.x) / stepX;
    const row = (point.y - base.y) / stepY;
    if (point.role === role && Number.isInteger(column) && Number.isInteger(row)) squares.set(key(column, row), { point, column, row });
  }
  let best = [];
  const seen = new Set();
  for (const [name, first] of squares) {
    if (seen.has(name)) continue;
    seen.add(name);
    const part = [first];
    for (let at = 0; at < part.length; at++) {
      for (let x = -1; x <= 1; x++) {
        for (let y = -1; y <= 1; y++) {
          const next = key(part[at].column + x, part[at].row + y);
          if (squares.has(next) && !seen.has(next)) {
            seen.add(next);
            part.push(squares.get(next));
          }
        }
      }
    }
    if (part.length > best.length) best = part;
  }
  return best.map(({ point }) => point);
}

function ends(points, axis) {
  let [low, high] = [Infinity, -Infinity];
  for (const point of points) {
    low = Math.min(low, point[axis]);
    high = Math.max(high, point[axis]);
  }
  return [low, high];
}

/** What of the map a board takes, without its title. @param {Plan} plan @returns {import("./camera.js").Frame} */
export const frameOf = ({ x, y, width, height }) => ({ x, y: y - 8, width, height: height + 8 });

/**
 * Put the boards into rows so that together they fill a window of this shape as well as they can. Sets their x and y.
 * @param {Plan[]} plans
 * @param {number} aspect width : height of the window
 * @returns {{width: number, height: number}}
 */
export function arrange(plans, aspect) {
  let best = { width: 2 * CELL, height: 2 * CELL };
  let bestFit = Infinity;
  let bestColumns = 1;
  for (let columns = 1; columns <= plans.length; columns++) {
    const size = inColumns(plans, columns, false);
    const fit = Math.max(size.width, size.height * aspect);
    if (fit < bestFit * 0.999) [best, bestFit, bestColumns] = [size, fit, columns];
  }
  if (plans.length) inColumns(plans, bestColumns, true);
  return best;
}

function inColumns(plans, columns, place) {
  let [y, width] = [0, 0];
  for (let at = 0; at < plans.length; at += columns) {
    const row = plans.slice(at, at + columns);
    let x = 0;
    for (const plan of row) {
      if (place) [plan.x, plan.y] = [x, y + TITLE];
      x += plan.width + GAP;
    }
    width = Math.max(width, x - GAP);
    y += TITLE + Math.max(...row.map((plan) => plan.height)) + GAP;
  }
  return { width, height: y - GAP };
}

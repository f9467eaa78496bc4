// Scores from turn to turn, and final places, from a Scores frame.
// It also computes a line chart of them as plain numbers, for any drawing.

import { list, text, whole } from "./values.js";

const MOST_TURNS = 1000;
const MOST_LINES = 1000;
const LONGEST_NAME = 100;

/** `points` are [turn, number], by rising turn, without a turn in between of which it is not told. @typedef {{player: number, name: string, points: number[][]}} Line */
/** @typedef {{player: number, place: number, figures: {name: string, number: number}[]}} Place */
/** `places`: the best first; empty as long as the game goes on. @typedef {{turns: number[], lines: Line[], places: Place[]}} Scores */

/** @param {Object} body of a Scores frame @returns {Scores} */
export function readScores(body) {
  const turns = list(body.turns).slice(0, MOST_TURNS).map(whole);
  const name = (one) => text(one.name).slice(0, LONGEST_NAME);
  const points = (one) => list(one.numbers).map((number, at) => [turns[whole(one.start) + at], Number(number)]).filter(([turn]) => turn !== undefined);
  return {
    turns,
    lines: list(body.lines).slice(0, MOST_LINES).map((one) => ({ player: whole(one.id), name: name(one), points: points(one) })).filter((line) => line.points.length),
    places: list(body.places).map((one) => ({
      player: whole(one.id),
      place: whole(one.place),
      figures: list(one.figures).map((figure) => ({ name: name(figure), number: Number(figure.number ?? 0) })),
    })),
  };
}

/** The names of the figures; first that which is told of most players, of equals the most telling. @param {Scores} scores @returns {string[]} */
export function figureNames({ lines }) {
  const players = new Map();
  for (const { name, player } of lines) players.set(name, (players.get(name) ?? new Set()).add(player));
  return [...players].sort(([, one], [, other]) => other.size - one.size).map(([name]) => name);
}

/** What a figure of each player was in each turn. @param {Scores} scores @param {string} name @returns {Map<number, Map<number, number>>} by turn, by player */
export function byTurn({ turns, lines }, name) {
  const found = new Map(turns.map((turn) => [turn, new Map()]));
  for (const line of lines) if (line.name === name) for (const [turn, number] of line.points) found.get(turn).set(line.player, number);
  return found;
}

/**
 * The turns in which a figure changed most, from the turn before of which it is told; the earliest first.
 * @param {Scores} scores @param {string} name @param {number} most
 * @returns {{turn: number, changes: {player: number, from: number, to: number}[]}[]} `turn`: in which the numbers were so
 *   for the first time
 */
export function turningPoints({ lines }, name, most = 3) {
  const found = new Map();
  for (const line of lines) {
    if (line.name !== name) continue;
    line.points.forEach(([turn, to], at) => {
      const from = at ? line.points[at - 1][1] : to;
      if (to !== from) found.set(turn, [...(found.get(turn) ?? []), { player: line.player, from, to }]);
    });
  }
  const size = ([, changes]) => Math.max(...changes.map(({ from, to }) => Math.abs(to - from)));
  const largest = [...found].sort((one, other) => size(other) - size(one) || one[0] - other[0]).slice(0, most);
  return largest.sort((one, other) => one[0] - other[0]).map(([turn, changes]) => ({ turn, changes }));
}

/** Round numbers between two numbers and just beyond, `most` steps or fewer. @returns {number[]} at least two */
export function ticks(low, high, most = 5) {
  const rough = Math.max(1, (high - low) / most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const first = Math.floor(low / step) * step;
  const count = Math.max(1, Math.ceil((high - first) / step));
  return Array.from({ length: count + 1 }, (_, at) => first + at * step);
}

/**
 * A chart of a figure: where its lines run in a box of `width` and `height` from its upper left corner.
 * @param {Scores} scores @param {string} name @param {number} width @param {number} height
 * @returns {{lines: {player: number, d: string, ends: {x: number, y: number}, number: number}[], across: {turn: number, x: number}[],
 *   up: {number: number, y: number}[], xOf: (turn: number) => number, turnAt: (x: number) => number}|null} `d` is a path of
 *   SVG, `ends` where the line of a player ends and `number` what it is there; null if there is nothing to draw
 */
export function chartOf({ turns, lines }, name, width, height) {
  const drawn = lines.filter((line) => line.name === name);
  if (!drawn.length) return null;
  const numbers = drawn.flatMap(({ points }) => points.map(([, number]) => number));
  const [low, high] = numbers.reduce(([least, most], one) => [Math.min(least, one), Math.max(most, one)], [Infinity, -Infinity]);
  const up = ticks(Math.min(0, low), high);
  const [bottom, top] = [up[0], up.at(-1)];
  const [first, last] = [turns[0], turns.at(-1)];
  const round = (number) => Math.round(number * 10) / 10;
  const xOf = (turn) => round(last === first ? width / 2 : ((turn - first) / (last - first)) * width);
  const yOf = (number) => round(height - ((number - bottom) / (top - bottom)) * height);
  const players = new Map();
  for (const { player, points } of drawn) {
    const path = points.map(([turn, number], at) => `${at ? "L" : "M"}${xOf(turn)} ${yOf(number)}`).join("");
    const [turn, number] = points.at(-1);
    const alone = points.length === 1 ? "h0.1" : ""; // a round end makes it a dot
    players.set(player, { player, d: `${players.get(player)?.d ?? ""}${path}${alone}`, ends: { x: xOf(turn), y: yOf(number) }, number });
  }
  return {
    lines: [...players.values()],
    across: ticks(first, last, 8).filter((turn) => turn >= first && turn <= last).map((turn) => ({ turn, x: xOf(turn) })),
    up: up.map((number) => ({ number, y: yOf(number) })),
    xOf,
    turnAt: (x) => turns.reduce((best, turn) => (Math.abs(xOf(turn) - x) < Math.abs(xOf(best) - x) ? turn : best)),
  };
}

/** Heights of labels that keep `gap` between them and stay within 0 and `height`, in the order given. @param {number[]} heights @returns {number[]} */
export function apart(heights, gap, height) {
  const order = heights.map((y, at) => ({ y, at })).sort((one, other) => one.y - other.y || one.at - other.at);
  order.forEach((one, at) => at && (one.y = Math.max(one.y, order[at - 1].y + gap)));
  for (let at = order.length - 1; at >= 0; at--) order[at].y = Math.min(order[at].y, at === order.length - 1 ? height : order[at + 1].y - gap);
  const found = [];
  for (const { y, at } of order) found[at] = y;
  return found;
}

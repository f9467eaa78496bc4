// How all stood, from turn to turn: what is read of it, what changed most, and where the lines of its chart run.

import { apart, byTurn, chartOf, figureNames, readScores, ticks, turningPoints } from "/core/scores.js";
import { equal, holds, test } from "./checks.js";

const SCORES = readScores({
  turns: [0, 10, 20],
  lines: [
    { id: 1, name: "Hidden", numbers: ["7"] },
    { id: 1, name: "Gold", numbers: ["0", "4", "-2"] },
    { id: 2, name: "Gold", numbers: ["1"] },
    { id: 2, name: "Gold", start: 2, numbers: ["10"] },
  ],
});

test("scores are read with their turns, and what is odd is left out", () => {
  equal(SCORES.lines[1], { player: 1, name: "Gold", points: [[0, 0], [10, 4], [20, -2]] });
  equal(SCORES.lines[3].points, [[20, 10]]);
  equal(readScores({}), { turns: [], lines: [], places: [] });
  equal(readScores({ turns: [5], lines: [{ id: 1, name: "Gold", start: 1, numbers: ["3"] }, { id: 1, name: "x".repeat(500), numbers: ["1"] }] }).lines.map((line) => line.name.length), [100]);
  equal(readScores({ places: [{ id: 2, place: 1, figures: [{ name: "Gold" }] }] }).places, [{ player: 2, place: 1, figures: [{ name: "Gold", number: 0 }] }]);
});

test("the figure that is told of most players comes first", () => {
  equal(figureNames(SCORES), ["Gold", "Hidden"]);
  equal(figureNames(readScores({})), []);
});

test("a figure is told by turn, with gaps where it was not told", () => {
  equal([...byTurn(SCORES, "Gold")].map(([turn, row]) => [turn, [...row]]), [[0, [[1, 0], [2, 1]]], [10, [[1, 4]]], [20, [[1, -2], [2, 10]]]]);
});

test("the turns that changed most are told in their order, and none over a gap", () => {
  const [four, six] = [{ player: 1, from: 0, to: 4 }, { player: 1, from: 4, to: -2 }];
  equal(turningPoints(SCORES, "Gold"), [{ turn: 10, changes: [four] }, { turn: 20, changes: [six] }]);
  equal(turningPoints(SCORES, "Gold", 1), [{ turn: 20, changes: [six] }]);
  equal(turningPoints(SCORES, "Hidden"), []);
  const both = readScores({ turns: [0, 1], lines: [{ id: 1, name: "Gold", numbers: ["0", "1"] }, { id: 2, name: "Gold", numbers: ["3", "2"] }, { id: 3, name: "Gold", numbers: ["3", "3"] }] });
  equal(turningPoints(both, "Gold"), [{ turn: 1, changes: [{ player: 1, from: 0, to: 1 }, { player: 2, from: 3, to: 2 }] }]);
});

test("ticks are round, and hold what they are for", () => {
  equal(ticks(0, 10), [0, 2, 4, 6, 8, 10]);
  for (const [low, high] of [[0, 0], [0, 1], [-2, 10], [3, 1234], [-5, -1], [0, 2 ** 53]]) {
    const found = ticks(low, high);
    holds(found.length >= 2 && found.length <= 7, `${found}`);
    holds(found[0] <= low && found.at(-1) >= high, `${found}`);
  }
});

test("the lines of a chart run from the first turn to the last, within their box", () => {
  const chart = chartOf(SCORES, "Gold", 200, 100);
  equal(chart.lines.map(({ player, number }) => [player, number]), [[1, -2], [2, 10]]);
  equal(chart.up.at(-1), { number: chart.up.at(-1).number, y: 0 });
  equal(chart.up[0].y, 100);
  const [one, two] = chart.lines.map(({ d }) => d.match(/-?[\d.]+/g).map(Number));
  equal([one[0], one[2], one[4]], [0, 100, 200]);
  holds(one.every((number) => number >= 0 && number <= 200));
  equal(two[0], 0);
  equal(chart.lines[1].d.match(/M/g).length, 2);
  equal([0, 49, 51, 149, 151, 900].map(chart.turnAt), [0, 0, 10, 10, 20, 20]);
  equal(chart.across.map(({ turn }) => turn).at(0), 0);
});

test("a chart of one turn is a dot in the middle, and of nothing none", () => {
  const chart = chartOf(readScores({ turns: [4], lines: [{ id: 1, name: "Gold", numbers: ["0"] }] }), "Gold", 200, 100);
  equal(chart.lines[0].ends, { x: 100, y: 100 });
  equal(chart.turnAt(0), 4);
  equal(chartOf(SCORES, "Silver", 200, 100), null);
});

test("labels keep apart, in their order, and stay inside", () => {
  equal(apart([50, 50, 52], 10, 100), [50, 60, 70]);
  equal(apart([98, 99], 10, 100), [90, 100]);
  equal(apart([10, 90], 10, 100), [10, 90]);
});

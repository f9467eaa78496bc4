// Scores of a game, or final places, with a line chart.
// It also shows where the places changed most.

import { apart, byTurn, chartOf, figureNames, turningPoints } from "../core/scores.js";
import { GAME_CREATION } from "../core/visitor.js";
import { WORDS } from "../words.js";
import { $, h, s, say, show } from "./dom.js";
import { playerClass } from "./marks.js";
import { note, sentence } from "./toasts.js";

/** Of the last turn so many reports are shown beside the end. */
const MOST_LAST = 20;
/** A line of a final table in a report: place, name, figures. */
const PLACE = /^(\d+)\.\s+([^:\s][^:]{0,199}):(.*)$/;
/** The chart in units of its own: the box of the lines, and the room around it for numbers and names. */
const [WIDTH, HEIGHT, LEFT, RIGHT, ABOVE, BELOW] = [560, 220, 44, 110, 12, 26];
/** The race of players that nobody writes to. */
const BOT = "Bot";
const NAME_GAP = 15;
const LONGEST_NAME = 14;

export class Ending {
  #page;
  /** @type {import("../core/scores.js").Scores|null} */
  #scores = null;
  /** Of which turn, and of a game that was over or not, the scores are. */
  #key = "";
  #figure = "";
  /** Counts what was asked, so that an answer that comes late is not drawn. */
  #serial = 0;

  /** @param {Object} page `player`, `turnNames`, `story`, `past`, `making` */
  constructor(page) {
    this.#page = page;
    $("ending-figure").addEventListener("change", ({ target }) => {
      this.#figure = target.value;
      this.#drawFigure();
    });
    $("ending-numbers").addEventListener("toggle", () => this.#drawNumbers());
    $("ending-again").addEventListener("click", () => this.#again());
  }

  /** Another game: forget all of this one. */
  reset() {
    this.#serial++;
    this.#scores = null;
    this.#key = this.#figure = "";
    if ($("ending").open) $("ending").close();
    show($("ending-places"));
    $("ending-scores").hidden = $("ending-again").hidden = true;
  }

  /** Show how the game has ended, or how all stood so far. */
  open() {
    this.#ask();
    this.#drawReports();
    $("ending-look").hidden = !this.#page.player.over;
    if ($("ending-again").hidden) this.#offerRematch();
    if (!$("ending").open) $("ending").showModal();
  }

  /** More of the end has become known. */
  update() {
    if ($("ending").open) this.open();
  }

  async #ask() {
    const { player } = this.#page;
    const key = `${player.turn} ${player.over}`;
    if (key === this.#key) return;
    const serial = ++this.#serial;
    this.#key = key;
    try {
      const scores = await player.scores();
      if (serial !== this.#serial) return;
      this.#scores = scores;
      say($("ending-problem"), "");
    } catch (error) {
      if (serial !== this.#serial) return;
      this.#key = ""; // an older server tells none; another time it may be told
      say($("ending-problem"), error.isTemporary ? sentence(error) : "");
    }
    this.#drawPlaces();
    this.#drawScores();
    this.#drawReports();
  }

  // --- once more

  /** Where accounts make games, whoever has played can have another one like this. */
  async #offerRematch() {
    const { player } = this.#page;
    if (!player.over || player.isWatching) return;
    const features = await player.features().catch(() => []);
    $("ending-again").hidden = !player.over || !features.includes(GAME_CREATION);
  }

  async #again() {
    const { making, player } = this.#page;
    try {
      const setup = await player.setup("");
      const others = [...player.universe.players.values()].filter(({ id, race }) => id !== player.universe.me && race !== BOT);
      await making.open({ setup, others });
    } catch (error) {
      note(sentence(error), "bad");
    }
  }

  // --- what is told in words

  /** The report of the end, then what else happened in the last turn. */
  #drawReports() {
    const { player, story } = this.#page;
    if (!player.over) {
      say($("ending-title"), WORDS.scores.title);
      show($("ending-text"));
      return;
    }
    const own = player.messages.filter((one) => !one.from);
    const turn = own.reduce((latest, one) => Math.max(latest, one.turn), 0);
    // The server keeps the last reports even if the messages were removed.
    const kept = story.cards.find(({ reports }) => reports.length);
    const reports = kept && kept.turn >= turn ? kept.reports : own.filter((one) => one.turn === turn);
    const last = reports.findLast((one) => /game over|is over|won|winner|final/i.test(`${one.subject} ${one.body}`));
    const others = reports.filter((one) => one !== last);
    // The name of the last turn tells who has won; a game may have nothing to add to that.
    say($("ending-title"), player.clock?.name || last?.subject || WORDS.scores.isOver);
    show(
      $("ending-text"),
      last?.body && tableOf(last.body, this.#scores?.places.length > 0),
      others.length > 0 && h("details", { class: "more" }, h("summary", { text: WORDS.scores.lastReports }), others.slice(0, MOST_LAST).map((one) => h("p", {}, h("strong", { text: one.subject }), one.body && ` ${one.body}`))),
    );
  }

  #name(id) {
    const { universe } = this.#page.player;
    return id === universe.me ? WORDS.common.you({ name: universe.playerName(id) }) : universe.playerName(id);
  }

  #badge(id) {
    return h("span", { class: `seat ${playerClass(this.#page.player.universe, id)}`, text: this.#name(id) });
  }

  /** The final table: places, players, and a column for each figure. */
  #drawPlaces() {
    const places = this.#scores?.places ?? [];
    const names = [...new Set(places.flatMap(({ figures }) => figures.map(({ name }) => name)))];
    const cell = (place, name) => h("td", { class: "number", text: String(place.figures.find((one) => one.name === name)?.number ?? "") });
    show(
      $("ending-places"),
      places.length > 0 && h(
        "table",
        { class: "ranking" },
        h("caption", { class: "unseen", text: WORDS.scores.places }),
        h("thead", {}, h("tr", {}, [WORDS.common.place, WORDS.common.player, ...names].map((text, at) => h("th", { scope: "col", class: at > 1 ? "number" : null, text })))),
        h("tbody", {}, places.map((place) => h("tr", { class: place.place === 1 ? "first" : null }, h("td", { text: `${place.place}.` }), h("th", { scope: "row" }, this.#badge(place.player)), names.map((name) => cell(place, name))))),
      ),
    );
  }

  // --- from turn to turn

  #drawScores() {
    const names = this.#scores ? figureNames(this.#scores) : [];
    const { turns = [] } = this.#scores ?? {};
    $("ending-scores").hidden = !names.length;
    say($("ending-none"), this.#scores && !names.length ? WORDS.scores.none : "");
    if (!names.length) return;
    if (!names.includes(this.#figure)) this.#figure = names[0];
    show($("ending-figure"), names.map((name) => h("option", { value: name, selected: name === this.#figure, text: name })));
    say($("ending-since"), turns[0] > 0 ? WORDS.scores.since({ turn: turns[0] }) : "");
    this.#drawFigure();
  }

  #drawFigure() {
    const chart = chartOf(this.#scores, this.#figure, WIDTH, HEIGHT);
    show($("ending-chart"), chart && this.#chart(chart));
    const points = turningPoints(this.#scores, this.#figure);
    const words = ({ player, from, to }) => WORDS.scores.change({ name: this.#name(player), from, to });
    show(
      $("ending-turning"),
      points.length > 0 && [h("h3", { text: WORDS.scores.turningPoints }), h("ul", {}, points.map((one) => h("li", {}, this.#way(one.turn), " ", one.changes.map(words).join(", "))))],
    );
    this.#drawNumbers();
  }

  /** A button that shows the board of a turn. */
  #way(turn) {
    return h("button", { type: "button", class: "link", "aria-label": WORDS.scores.lookAt({ turn: this.#title(turn) }), onclick: () => this.#go(turn), text: this.#title(turn) });
  }

  #title(turn) {
    return this.#page.turnNames.of(turn, this.#page.player.turn);
  }

  #go(turn) {
    $("ending").close();
    this.#page.past.go(turn);
    $("history-turn").focus();
  }

  #chart(chart) {
    const { universe } = this.#page.player;
    const at = (x, y) => `translate(${x} ${y})`;
    const heights = apart(chart.lines.map(({ ends }) => ends.y), NAME_GAP, HEIGHT);
    const short = (name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name);
    const guide = s("path", { class: "guide" });
    const svg = s(
      "svg",
      { class: "scores-chart", viewBox: `0 0 ${LEFT + WIDTH + RIGHT} ${ABOVE + HEIGHT + BELOW}`, role: "img", "aria-label": WORDS.scores.chart({ figure: this.#figure, ends: chart.lines.map(({ player, number }) => ({ name: this.#name(player), number })) }) },
      s(
        "g",
        { transform: at(LEFT, ABOVE) },
        chart.up.flatMap(({ number, y }) => [s("path", { class: number ? "rung" : "rung zero", d: `M0 ${y}h${WIDTH}` }), s("text", { class: "scale up", x: -7, y, text: String(number) })]),
        chart.across.flatMap(({ turn, x }) => [s("path", { class: "tick", d: `M${x} ${HEIGHT}v5` }), s("text", { class: "scale", x, y: HEIGHT + 19, text: String(turn) })]),
        guide,
        chart.lines.map(({ d }) => s("path", { class: "under", d })),
        chart.lines.map(({ player, d }) => s("path", { class: `score-line ${playerClass(universe, player)}`, d })),
        chart.lines.flatMap(({ player, number, ends }, index) => [
          s("path", { class: `lead ${playerClass(universe, player)}`, d: `M${ends.x} ${ends.y}L${WIDTH + 8} ${heights[index]}` }),
          s("text", { class: "line-name", x: WIDTH + 12, y: heights[index], text: `${short(universe.playerName(player))} ${number}` }),
        ]),
      ),
    );
    const turnOf = ({ clientX }) => {
      const { left, width } = svg.getBoundingClientRect();
      return chart.turnAt(((clientX - left) / width) * (LEFT + WIDTH + RIGHT) - LEFT);
    };
    svg.addEventListener("pointermove", (event) => {
      const turn = turnOf(event);
      guide.setAttribute("d", `M${chart.xOf(turn)} 0v${HEIGHT}`);
      this.#sayTurn(turn);
    });
    svg.addEventListener("pointerleave", () => {
      guide.setAttribute("d", "");
      this.#sayTurn(null);
    });
    svg.addEventListener("click", (event) => this.#go(turnOf(event)));
    this.#sayTurn(null);
    return svg;
  }

  /** Below the chart: what the numbers are where the pointer is. @param {number|null} turn */
  #sayTurn(turn) {
    const row = turn === null ? [] : [...byTurn(this.#scores, this.#figure).get(turn)];
    say($("ending-at"), turn === null ? WORDS.scores.clickChart : `${this.#title(turn)}: ${row.map(([player, number]) => `${this.#name(player)} ${number}`).join(", ") || WORDS.scores.missing}`);
  }

  /** The table behind the chart, made where it is opened only: it may be long. */
  #drawNumbers() {
    const isOpen = $("ending-numbers").open && this.#scores;
    if (!isOpen) {
      show($("ending-table"));
      return;
    }
    const rows = byTurn(this.#scores, this.#figure);
    const players = [...new Set(this.#scores.lines.filter(({ name }) => name === this.#figure).map(({ player }) => player))];
    show(
      $("ending-table"),
      h("caption", { text: WORDS.scores.tableTitle({ figure: this.#figure, turns: rows.size }) }),
      h("thead", {}, h("tr", {}, h("th", { scope: "col", text: WORDS.scores.turn }), players.map((id) => h("th", { scope: "col", class: "number" }, this.#badge(id))))),
      h("tbody", {}, [...rows].map(([turn, row]) => h("tr", {}, h("th", { scope: "row" }, this.#way(turn)), players.map((id) => h("td", { class: "number", text: String(row.get(id) ?? "") }))))),
    );
  }
}

/**
 * The words of a report, with the lines that tell a place ("1. ann: Score 12") as rows of a table.
 * @param {boolean} isTold whether the places are told already
 */
function tableOf(body, isTold) {
  const parts = [];
  for (const line of body.split("\n")) {
    const [, place, name, figures] = PLACE.exec(line.trim()) ?? [];
    if (place === undefined) {
      if (line.trim()) parts.push(h("p", { text: line }));
      continue;
    }
    if (isTold) continue;
    if (parts.at(-1)?.tagName !== "TABLE") parts.push(h("table", { class: "ranking" }, h("tbody")));
    parts.at(-1).tBodies[0].append(h("tr", { class: place === "1" ? "first" : null }, h("td", { text: `${place}.` }), h("th", { scope: "row", text: name }), h("td", { text: figures.trim() })));
  }
  return parts;
}

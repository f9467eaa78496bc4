// The dialog for blocked players, and messages to all in the game.
// Loaded when it is first opened.

import { closeReport, reportMessage, reportsOf, setBlock, setMute, setSilence, talkOf } from "../core/talk.js";
import { plainText } from "../core/typed.js";
import { WORDS } from "../words.js";
import { DoingDialog } from "./doing.js";
import { h, moment, say, show } from "./dom.js";

/** @type {TalkDialog|null} */
let dialog = null;

/**
 * Show the dialog. @param {Object} page `player` @param {import("../core/board.js").Letter|null} letter one to report
 * @returns {Promise<void>} rejects with the server's sentence
 */
export async function openTalk(page, letter = null) {
  dialog ??= new TalkDialog(page);
  await dialog.open(letter);
}

class TalkDialog extends DoingDialog {
  #page;
  #words = h("div", {});
  #mute = h("input", { id: "talk-mute", type: "checkbox", onchange: () => this.do((player) => setMute(player, this.#mute.checked)) });
  #muting = h("p", {}, this.#mute, " ", h("label", { for: "talk-mute", text: WORDS.blocking.mute }));
  #blocked = h("ul", { id: "talk-blocked" });
  #whom = h("select", { id: "talk-whom" });
  #blocking;
  #moderating;
  /** The letter that is to be reported. */
  #letter = null;
  #about = h("blockquote", {});
  #why = h("input", { id: "talk-why", maxlength: 300, autocomplete: "off", required: true });
  #reporting;
  #blockWriter = h("button", { type: "button", onclick: () => this.do((player) => setBlock(player, { name: this.#letter.writer }, true)) });
  #watched = h("ul", { id: "talk-spectators" });
  #watching = h("section", { hidden: true }, h("h3", { text: WORDS.blocking.spectators }), this.#watched);
  #reports = h("ul", { id: "talk-reports" });
  #box;

  constructor(page) {
    super();
    this.#page = page;
    this.#blocking = h(
      "form",
      { class: "making", onsubmit: (event) => this.submit(event, (player) => setBlock(player, { player: Number(this.#whom.value) }, true)) },
      h("label", { for: "talk-whom", text: WORDS.common.player }),
      this.#whom,
      h("div", { class: "row" }, h("button", { type: "submit", text: WORDS.blocking.block })),
    );
    this.#reporting = h(
      "form",
      { class: "making", hidden: true, onsubmit: (event) => this.submit(event, (player) => this.#report(player)) },
      h("h3", { text: WORDS.blocking.reportTitle }),
      this.#about,
      h("label", { for: "talk-why", text: WORDS.common.reason }),
      this.#why,
      h("p", { class: "hint", text: WORDS.blocking.reportAbout }),
      h("div", { class: "row" }, h("button", { class: "primary", type: "submit", text: WORDS.blocking.report }), " ", this.#blockWriter),
    );
    const name = h("input", { id: "talk-name", maxlength: 32, autocomplete: "off", required: true });
    const days = h("input", { id: "talk-days", type: "number", min: 0, max: 366, value: 7, required: true });
    const reason = h("input", { id: "talk-reason", maxlength: 300, autocomplete: "off" });
    this.#moderating = h(
      "section",
      { hidden: true },
      h("h3", { text: WORDS.blocking.moderators }),
      this.#reports,
      h(
        "form",
        { class: "making", onsubmit: (event) => this.submit(event, (player) => setSilence(player, plainText(name.value), Number(days.value), reason.value)) },
        h("label", { for: "talk-name", text: WORDS.blocking.account }),
        name,
        h("label", { for: "talk-days", text: WORDS.blocking.days }),
        days,
        h("label", { for: "talk-reason", text: WORDS.common.reason }),
        reason,
        h("p", { class: "hint", text: WORDS.blocking.silenceAbout }),
        h("div", { class: "row" }, h("button", { type: "submit", text: WORDS.blocking.silence })),
      ),
    );
    this.#box = h(
      "dialog",
      { id: "talk", "aria-labelledby": "talk-heading" },
      h("header", {}, h("h2", { id: "talk-heading", text: WORDS.blocking.title }), h("form", { method: "dialog" }, h("button", { class: "primary", text: WORDS.common.close }))),
      this.problem,
      this.news,
      this.#reporting,
      this.#words,
      this.#muting,
      h("h3", { text: WORDS.blocking.blocked }),
      h("p", { class: "hint", text: WORDS.blocking.blockedAbout }),
      this.#blocked,
      this.#blocking,
      this.#watching,
      this.#moderating,
    );
    document.head.append(h("link", { rel: "stylesheet", href: "talk.css" }));
    document.body.append(this.#box);
  }

  async open(letter) {
    this.clear();
    this.#reportOf(letter);
    await this.#look();
    this.#box.showModal();
  }

  /** Ask why a letter is to be reported. @param {import("../core/board.js").Message|null} letter null: none is */
  #reportOf(letter) {
    this.#letter = letter;
    this.#reporting.hidden = !letter;
    this.#why.value = "";
    this.#blockWriter.hidden = !letter?.writer;
    say(this.#blockWriter, letter?.writer ? WORDS.blocking.blockPlayer({ name: letter.writer }) : "");
    if (letter) show(this.#about, h("strong", { text: letter.subject }), h("p", { class: "body", text: letter.body }));
  }

  async #look() {
    const { player } = this.#page;
    const { game, words, isMuted, blocked, silenced, reason, moderates } = await talkOf(player);
    show(
      this.#words,
      words && h("p", { text: WORDS.blocking.inThisGame({ rule: words }) }),
      silenced > 0 && h("p", { class: "problem", text: WORDS.blocking.silenced({ until: moment(silenced), reason }) }),
    );
    this.#mute.checked = isMuted;
    this.#muting.hidden = !game;
    const rows = blocked.map(({ name, game: where, player: number }) => {
      const words = where ? WORDS.blocking.playerIn({ name, game: where }) : name;
      const whom = where ? { game: where, player: number } : { name };
      return h("li", {}, h("span", { text: words }), h("button", { type: "button", "aria-label": WORDS.blocking.unblockPlayer({ name: words }), onclick: () => this.do(() => setBlock(player, whom, false)), text: WORDS.blocking.unblock }));
    });
    show(this.#blocked, rows.length ? rows : h("li", { class: "hint", text: WORDS.common.nobody }));
    const { universe } = player;
    const others = !game ? [] : [...universe.players.values()].filter((one) => one.id !== universe.me && !blocked.some(({ name, game: where, player: number }) => (where ? where === game && number === one.id : name === one.name)));
    show(this.#whom, others.map((one) => h("option", { value: String(one.id), text: one.name })));
    this.#blocking.hidden = !others.length;
    const watched = await spectatorLetters(player);
    this.#watching.hidden = !watched.length;
    show(this.#watched, watched.map((one) => h("li", {}, h("strong", { text: `${one.writer}: ${one.subject}` }), h("p", { class: "body", text: one.body }), one.writer !== player.user && h("button", { type: "button", class: "link", onclick: () => this.#ask(one), text: WORDS.blocking.report }))));
    this.#moderating.hidden = !moderates;
    if (moderates) this.#drawReports(await reportsOf(player));
  }

  #ask(letter) {
    this.#reportOf(letter);
    this.#why.focus();
  }

  async #report(player) {
    const words = await reportMessage(player, this.#letter, this.#why.value);
    this.#reporting.hidden = true;
    return words;
  }

  /** What was reported, each with what is decided about it. @param {import("../core/talk.js").MessageReport[]} reports */
  #drawReports(reports) {
    show(this.#reports, reports.length ? reports.map((one) => this.#entry(one)) : h("li", { class: "hint", text: WORDS.blocking.noReports }));
  }

  #entry({ id, writer, reporter, game, turn, written, subject, body, reason }) {
    const decision = h("select", { id: `report-${id}-decision` }, Object.entries(WORDS.blocking.decisions).map(([value, text]) => h("option", { value, text })));
    const days = h("input", { id: `report-${id}-days`, type: "number", min: 1, max: 366, value: 7 });
    const answer = h("input", { id: `report-${id}-answer`, maxlength: 300, autocomplete: "off", required: true });
    const close = (player) => closeReport(player, { id, decision: decision.value, answer: answer.value, days: decision.value === "silenced" ? Number(days.value) : 0 });
    return h(
      "li",
      { class: "report" },
      h("p", { text: WORDS.blocking.message({ writer, reader: reporter, game, turn, when: moment(written) }) }),
      h("blockquote", {}, h("strong", { text: subject }), h("p", { class: "body", text: body })),
      h("p", { text: WORDS.blocking.reportedBecause({ reason }) }),
      h(
        "form",
        { class: "making", onsubmit: (event) => this.submit(event, close) },
        h("label", { for: decision.id, text: WORDS.blocking.reportIs({ id }) }),
        decision,
        h("label", { for: days.id, text: WORDS.blocking.silenceDays }),
        days,
        h("label", { for: answer.id, text: WORDS.common.reason }),
        answer,
        h("div", { class: "row" }, h("button", { type: "submit", "aria-label": WORDS.blocking.closeReport({ id }), text: WORDS.blocking.closeIt })),
      ),
    );
  }

  /** Show how things are then, too, also when it was refused: a box that was ticked is as the server has it. */
  async do(call) {
    await super.do(async () => {
      try {
        return `${(await call(this.#page.player)).replace(/\.$/, "")}.`;
      } finally {
        await this.#look();
      }
    });
  }
}

/** What the spectators of the game that we have played wrote to each other; none before it is over. @param {import("../core/player.js").Player} player @returns {Promise<{slot: number, writer: string, subject: string, body: string, spectators: boolean}[]>} */
async function spectatorLetters(player) {
  if (!player.over || player.isWatching) return [];
  const id = Math.max(0, ...player.universe.players.keys()) + 1;
  const board = await player.askOne("getBoards", { ids: [id] }, "board").catch(() => null);
  const count = board ? Number(board.messages ?? 0) : 0;
  if (!count) return [];
  const frames = await player.askEach("getMessage", { id, slots: Array.from({ length: count }, (_, slot) => slot) });
  return frames.filter((frame) => frame.kind === "message").map((frame) => ({ slot: 0, subject: "", body: "", ...frame.body, spectators: true }));
}

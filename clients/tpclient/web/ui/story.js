// The tab "What happened": a card of reports for each turn.
// A line below the map shows the last one. After several missed turns, both show these first, with a button to look at
// one after the other.

import { NOBODY, REFERENCE } from "../core/objects.js";
import { Story } from "../core/story.js";
import { WORDS } from "../words.js";
import { $, h, say, show } from "./dom.js";
import { playerClass } from "./marks.js";

/** Of a turn so many reports are shown at first, and so many links of each. */
const MOST_REPORTS = 30;
const MOST_LINKS = 8;
/** Reports, and letters of each, in the line below the map. */
const MOST_NEWS = 6;
const MOST_LETTERS = 160;
/** Failed orders, and fights, of the turns while we were away that are named one by one. */
const MOST_MISSED = 12;

/**
 * The reports of a card. @param {import("../core/story.js").Card} card @param {Object} universe where links lead
 * @param {(id: number) => void} showOnMap
 */
export function cardParts(card, universe, showOnMap) {
  const item = (report) => reportItem(report, universe, showOnMap);
  const list = h("ul", { class: "reports" }, card.reports.slice(0, MOST_REPORTS).map(item));
  const rest = card.reports.slice(MOST_REPORTS);
  if (!rest.length) return list;
  const more = h("button", { type: "button", text: WORDS.story.moreReports({ count: rest.length }), onclick: () => {
    list.append(...rest.map(item));
    more.remove();
  } });
  return [list, more];
}

function reportItem({ failed, player, subject, body, references }, universe, showOnMap) {
  const ids = [...new Set(references.filter(({ type, id }) => type === REFERENCE.OBJECT && universe.objects.has(id)).map(({ id }) => id))];
  const who = player !== NOBODY && universe.players.has(player) && h("span", { class: `seat ${playerClass(universe, player)}`, text: player === universe.me ? WORDS.common.yourself : universe.playerName(player) });
  return h(
    "li",
    { class: failed ? "failed" : null },
    h("p", {}, who, who && " ", h("strong", { text: WORDS.story.report({ failed, subject }) })),
    body && h("p", { class: "body", text: body }),
    ids.length > 0 && h("p", { class: "links" }, ids.slice(0, MOST_LINKS).map((id) => h("button", { type: "button", class: "link", onclick: () => showOnMap(id), text: universe.objectName(id) })), ids.length > MOST_LINKS && h("span", { class: "hint", text: WORDS.common.more({ count: ids.length - MOST_LINKS }) })),
  );
}

export class StoryPanel {
  /** @type {Story} */
  story;

  #page;
  #list = h("div", { class: "cards" });
  #more = h("button", { type: "button", hidden: true, onclick: () => this.story.more(), text: WORDS.story.earlier });
  #isShown = false;
  /** Turns whose cards have not been looked at. */
  #unread = new Set();
  #newest = -1;
  /** By turn, the card as it was drawn, and as what; under "away" that of the turns while we were away. */
  #drawn = new Map();
  /** The first turn that we have missed and that is told; null: none is. */
  #missed = null;

  /** @param {Object} page `player`, `turnNames`, `showTab(name)`, `pointOut(id)`, `past` */
  constructor(page) {
    this.#page = page;
    this.story = new Story(page.player);
    this.story.addEventListener("story", ({ detail }) => this.#told(detail.isNew));
    $("panel-story").append(h("h2", { class: "unseen", text: WORDS.story.title }), this.#list, this.#more);
    new IntersectionObserver(([seen]) => seen.isIntersecting && this.story.more()).observe(this.#more);
  }

  /** Another game. */
  reset() {
    this.#unread.clear();
    this.#drawn.clear();
    this.#newest = -1;
    this.#missed = null;
    this.#draw();
    this.#showNews();
    this.story.reset();
  }

  /** The tab was opened or left. */
  shown(isShown) {
    if (this.#isShown && !isShown) this.#unread.clear();
    this.#isShown = isShown;
    this.#draw();
  }

  #told(isNew) {
    const { cards } = this.story;
    for (const { turn, title } of cards) if (title) this.#page.turnNames.learn({ name: title, turn });
    if (isNew) for (const { turn, reports } of cards) if (turn > this.#newest && reports.length) this.#unread.add(turn);
    this.#newest = Math.max(this.#newest, cards[0]?.turn ?? -1);
    const { absence } = this.story;
    if (absence && absence.first !== this.#missed) for (const { turn, reports } of cards) if (turn >= absence.first && reports.length) this.#unread.add(turn);
    this.#missed = absence?.first ?? null;
    this.#draw();
    this.#showNews();
  }

  #draw() {
    const cards = this.story.cards.filter(({ reports }) => reports.length);
    const failed = cards.filter(({ turn }) => this.#unread.has(turn)).flatMap(({ reports }) => reports).filter((one) => one.failed).length;
    const count = this.#isShown ? 0 : this.#unread.size;
    $("unread-story").hidden = !count;
    $("unread-story").classList.toggle("bad", failed > 0);
    say($("unread-story"), String(count));
    $("unread-story").setAttribute("aria-label", WORDS.story.unread({ turns: count, failed }));
    if (!this.#isShown) return;
    const { hasMore } = this.story;
    const { absence } = this.story;
    const drawn = new Map([...(absence ? [["away", this.#absenceCard(absence)]] : []), ...cards.map((card) => [card.turn, this.#cardOf(card)])]);
    this.#drawn = drawn;
    const parts = [...drawn.values()].map(({ element }) => element);
    // Only what is new is put in: the focus may be in a card, and the list be scrolled.
    if (parts.length !== this.#list.children.length || parts.some((one, at) => one !== this.#list.children[at])) show(this.#list, parts.length ? parts : h("p", { class: "hint", text: WORDS.story.none }));
    this.#more.hidden = !hasMore;
  }

  #cardOf(card) {
    const { player, turnNames } = this.#page;
    const { universe } = player;
    const title = turnNames.title(card.turn);
    const isNew = this.#unread.has(card.turn);
    // Links lead to what is there now.
    const there = card.reports.map(({ references }) => references.filter(({ type, id }) => type === REFERENCE.OBJECT && universe.objects.has(id)).length);
    const key = JSON.stringify([title, isNew, there, card.reports.length]);
    const before = this.#drawn.get(card.turn);
    if (before?.key === key) return before;
    const element = h(
      "article",
      { class: `turn-card${isNew ? " unread" : ""}`, "aria-label": title },
      h("h3", {}, isNew && h("span", { class: "new", text: WORDS.common.new }), title),
      card.began > 0 && h("time", { class: "hint", datetime: new Date(1000 * card.began).toISOString(), text: new Date(1000 * card.began).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) }),
      cardParts(card, universe, (id) => this.#page.pointOut(id)),
      h("button", { type: "button", class: "link", onclick: () => this.#page.past.go(card.turn), text: WORDS.story.board }),
    );
    return { key, element };
  }

  /** What happened while we were away: first which own orders failed and where there were fights. @param {import("../core/story.js").Absence} absence */
  #absenceCard(absence) {
    const { player, turnNames } = this.#page;
    const { first, last, letters, known, failed, fights } = absence;
    const { universe } = player;
    const lines = (found) => found.slice(0, MOST_MISSED).map(({ turn, report }) => ({ ...report, subject: WORDS.story.inTurn({ subject: report.subject, turn: turnNames.title(turn) }), body: inOneLine(report.body) }));
    const [undone, fought] = [lines(failed), lines(fights)];
    const key = JSON.stringify([absence, turnNames.title(first), turnNames.title(last), universe.objects.size]);
    const before = this.#drawn.get("away");
    if (before?.key === key) return before;
    const item = (report) => reportItem(report, universe, (id) => this.#page.pointOut(id));
    const rest = (found, words) => found.length > MOST_MISSED && h("p", { class: "hint", text: words({ count: found.length - MOST_MISSED }) });
    const element = h(
      "article",
      { class: "turn-card away", "aria-label": away(absence) },
      h("h3", { text: away(absence) }),
      h("p", { class: "hint", text: WORDS.story.absentTurns({ first: turnNames.title(first), last: turnNames.title(last), since: known > first ? turnNames.title(Math.min(known, last)) : "" }) }),
      h("p", { text: WORDS.story.absence({ failed: failed.length, combats: fights.length }) }),
      undone.length > 0 && h("ul", { class: "reports" }, undone.map(item)),
      rest(failed, WORDS.story.moreOrders),
      fought.length > 0 && h("ul", { class: "reports" }, fought.map(item)),
      rest(fights, WORDS.story.moreCombats),
      h(
        "div",
        { class: "row" },
        this.#oneByOne("primary"),
        letters > 0 && h("button", { type: "button", onclick: () => this.#page.showTab("messages"), text: WORDS.story.messages({ count: letters }) }),
        h("button", { type: "button", onclick: () => this.#notice(), text: WORDS.story.seen }),
      ),
    );
    return { key, element };
  }

  /** The button to look at the turns while we were away, the oldest first. */
  #oneByOne(look) {
    const go = () => {
      const { absence } = this.story;
      if (absence) this.#page.past.walk(absence.first, absence.last);
    };
    return h("button", { type: "button", class: look, onclick: go, text: WORDS.story.oneByOne });
  }

  #notice() {
    this.story.takeNotice();
    $("tab-story").focus();
  }

  /** A line of what happened last. */
  #showNews() {
    const { player, turnNames } = this.#page;
    const { absence } = this.story;
    if (absence) {
      const { failed, fights, letters } = absence;
      const items = [failed.length && WORDS.story.failedOrders({ count: failed.length }), fights.length && WORDS.story.combats({ count: fights.length }), letters && WORDS.story.messages({ count: letters })];
      const parts = items.map((text, at) => text !== 0 && h("span", { class: `item${at ? "" : " failed"}` }, h("strong", { text })));
      show($("news"), h("span", {}, h("strong", { text: away(absence) }), " ", this.#oneByOne("link"), " ", this.#all()), parts);
      return;
    }
    const [latest] = this.story.cards.filter(({ reports }) => reports.length);
    if (!latest) {
      show($("news"), player.turn ? [] : h("span", { class: "hint", text: WORDS.story.none }));
      return;
    }
    const parts = latest.reports.slice(0, MOST_NEWS).map((one) => h("span", { class: `item${one.failed ? " failed" : ""}` }, h("strong", { text: WORDS.story.report(one) }), one.body ? ` ${inOneLine(one.body)}` : ""));
    const rest = latest.reports.length - parts.length;
    // The way to all of it comes first, for the line may be cut off.
    show($("news"), h("span", {}, h("span", { class: "hint", text: turnNames.title(latest.turn) }), " ", this.#all()), parts, rest > 0 && h("span", { class: "hint", text: WORDS.common.more({ count: rest }) }));
  }

  /** The button to all that happened. */
  #all() {
    return h("button", { type: "button", class: "link", onclick: () => this.#page.showTab("story"), text: WORDS.story.all });
  }
}

/** @param {import("../core/story.js").Absence} absence */
const away = ({ first, last }) => WORDS.story.away({ turns: last - first + 1 });

function inOneLine(text) {
  const line = text.split("\n").map((one) => one.trim()).filter(Boolean).join(" · ").replaceAll(": · ", ": ");
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS - 1)}…` : line;
}

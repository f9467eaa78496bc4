// The message board: reports and messages by turn, and a form to write.
// The newest come first.

import { EVERYBODY } from "../core/board.js";
import { sameObjects } from "../core/changes.js";
import { invitationIn } from "../core/home.js";
import { REFERENCE } from "../core/objects.js";
import { WORDS } from "../words.js";
import { ask } from "./asking.js";
import { $, h, say, show } from "./dom.js";
import { note, sentence } from "./toasts.js";

const MOST_SHOWN = 200;

export class Messages {
  #page;
  #list = h("div", { class: "post-box" });
  #form;
  #isShown = false;
  #isRemoving = false;
  #unread = new Set();
  #drawn = "";
  /** The messages that are shown. */
  #seen = [];
  /** What players may write: "none", "public" (to everybody only) or "private". */
  #press = "private";

  /** @param {Object} page `player`, `turnNames`, `select(id)`, `follow(invitation)`, `openTalk(letter)` */
  constructor(page) {
    this.#page = page;
    const to = h("select", { id: "post-to", required: true });
    const subject = h("input", { id: "post-subject", maxlength: 200, required: true });
    const body = h("textarea", { id: "post-body", rows: 3, maxlength: 10000 });
    this.#form = { to, subject, body };
    const details = h("details", { class: "more" }, h("summary", { text: WORDS.messages.write }));
    this.#form.details = details;
    const form = h("form", { id: "post", onsubmit: (event) => this.#post(event) }, h("label", { for: "post-to", text: WORDS.messages.to }), to, h("label", { for: "post-subject", text: WORDS.messages.subject }), subject, h("label", { for: "post-body", text: WORDS.messages.text }), body, h("button", { type: "submit", text: WORDS.messages.send }));
    const talk = h("button", { type: "button", class: "link", "aria-haspopup": "dialog", onclick: () => this.#page.openTalk(), text: WORDS.blocking.title });
    $("panel-messages").append(h("h2", { class: "unseen", text: WORDS.messages.title }), details, this.#list, talk);
    details.append(form);
  }

  /** Begin anew: nothing of what is there counts as unread. */
  reset() {
    this.#unread.clear();
    this.#drawn = "";
    this.#press = "private";
    this.#form.subject.value = this.#form.body.value = ""; // it was for the players of another game
    this.update();
    this.#learnPress();
  }

  /** An older server does not tell it, and lets all write to all. */
  async #learnPress() {
    const { player } = this.#page;
    const { universe } = player;
    const { press } = await player.setup("").catch(() => ({ press: "private" }));
    if (universe !== player.universe) return;
    this.#press = press;
    this.update();
  }

  /** Messages have come. */
  add(news) {
    const { me } = this.#page.player.universe;
    if (!this.#isShown) for (const one of news) if (one.from !== me) this.#unread.add(keyOf(one));
    this.update();
  }

  /** The tab was opened or left. */
  shown(isShown) {
    if (this.#isShown && !isShown) this.#unread.clear();
    this.#isShown = isShown;
    this.update();
  }

  update() {
    const { player } = this.#page;
    const count = this.#isShown ? 0 : this.#unread.size;
    $("unread").hidden = !count;
    say($("unread"), String(count));
    $("unread").setAttribute("aria-label", WORDS.messages.unread({ count }));
    this.#updatePlayers(player.universe);
    if (!this.#isShown) return;
    const { messages } = player;
    const words = messages.map((one) => [this.#unread.has(keyOf(one)), this.#page.turnNames.title(one.turn), one.from > 0 && this.#between(one)]);
    const key = JSON.stringify([player.user, this.#press, words]);
    if (key === this.#drawn && sameObjects(messages, this.#seen)) return;
    this.#drawn = key;
    this.#seen = messages;
    this.#draw(player.messages);
  }

  #updatePlayers(universe) {
    const { to, details } = this.#form;
    details.hidden = this.#press === "none";
    const { isWatching } = this.#page.player;
    const others = isWatching ? [] : [...universe.players.values()].filter((one) => one.id !== universe.me);
    const key = `${isWatching}|${this.#press}|${others.map((one) => `${one.id} ${one.name}`).join("|")}`;
    if (to.dataset.key === key) return;
    const chosen = to.value;
    to.dataset.key = key;
    const all = (isWatching || others.length > 0) && h("option", { value: String(EVERYBODY), text: isWatching ? WORDS.messages.allWatchers : WORDS.messages.everybody });
    show(to, this.#press === "private" && others.map((one) => h("option", { value: String(one.id), text: one.name })), all);
    if (chosen) to.value = chosen;
  }

  #draw(messages) {
    const shown = messages.slice(-MOST_SHOWN).reverse();
    const turns = Map.groupBy ? Map.groupBy(shown, (one) => one.turn) : grouped(shown);
    const parts = [...turns].map(([turn, letters]) => [h("h3", { text: this.#page.turnNames.title(turn) }), letters.map((one) => this.#letter(one))]);
    const all = messages.length > 0 && !this.#page.player.isWatching && h("button", { type: "button", onclick: () => this.#removeAll(messages), text: WORDS.messages.removeAll });
    show(this.#list, messages.length ? parts.flat(2) : h("p", { class: "hint", text: WORDS.messages.none }), all);
  }

  #letter(one) {
    const { universe } = this.#page.player;
    const invitation = one.from > 0 && one.from !== universe.me ? invitationIn(one.body, location.href) : null;
    const things = one.references.filter(({ type, id }) => type === REFERENCE.OBJECT && universe.objects.has(id));
    return h(
      "article",
      { class: `letter${this.#unread.has(keyOf(one)) ? " unread" : ""}` },
      h("h4", {}, this.#unread.has(keyOf(one)) && h("span", { class: "new", text: WORDS.common.new }), (one.writer || one.from > 0) && h("span", { class: "hint", text: WORDS.messages.from({ writer: one.writer || this.#between(one) }) }), one.subject || WORDS.messages.noSubject),
      h("p", { class: "body", text: one.body }),
      things.slice(0, 6).map(({ id }) => h("button", { type: "button", class: "link", onclick: () => this.#page.select(id), text: universe.objectName(id) })),
      invitation && h("button", { type: "button", onclick: () => this.#page.follow(invitation), text: WORDS.messages.goTo({ game: invitation.game }) }),
      one.from > 0 && one.from !== universe.me && this.#press !== "none" && h("button", { type: "button", class: "link", onclick: () => this.#reply(one), text: WORDS.messages.reply }),
      (one.writer ? one.writer !== this.#page.player.user : one.from > 0 && one.from !== universe.me) && h("button", { type: "button", class: "link", "aria-haspopup": "dialog", onclick: () => this.#page.openTalk(one), text: WORDS.messages.report }),
      !one.writer && h("button", { type: "button", class: "remove", "aria-label": WORDS.messages.removeMessage({ subject: one.subject }), title: WORDS.messages.remove, onclick: () => this.#remove([one.slot]), text: "×" }),
    );
  }

  /** By whom a letter is, and to whom, if it is not for me alone. */
  #between({ from, to }) {
    const { universe } = this.#page.player;
    const others = to === EVERYBODY ? WORDS.messages.toAll : to && to !== universe.me ? universe.playerName(to) : "";
    const writer = from === universe.me ? WORDS.common.yourself : universe.playerName(from);
    return others ? WORDS.messages.fromTo({ writer, reader: others }) : writer;
  }

  /** Begin a letter to who wrote this one, or to everybody if it went to all. */
  #reply(one) {
    const { to, subject, body, details } = this.#form;
    details.open = true;
    to.value = String(one.to === EVERYBODY || this.#press === "public" ? EVERYBODY : one.from);
    if (!subject.value) subject.value = /^re: /iu.test(one.subject) ? one.subject : WORDS.messages.replySubject({ subject: one.subject }).slice(0, subject.maxLength);
    body.focus();
  }

  async #removeAll(messages) {
    const text = WORDS.messages.removeText({ count: messages.length });
    const isMeant = await ask({ title: WORDS.messages.removeTitle, text, yes: WORDS.messages.removeAll, no: WORDS.messages.keep });
    // What has come while the question was open is kept.
    const still = this.#page.player.messages.filter((one) => messages.includes(one));
    if (isMeant && still.length) await this.#remove(still.map((one) => one.slot));
    else if (isMeant) note(WORDS.messages.changed, "bad");
  }

  /** The slots are those of the list as it is shown: while it changes, nothing more is removed. */
  async #remove(slots) {
    if (this.#isRemoving) {
      note(WORDS.messages.isChanging, "bad");
      return;
    }
    this.#isRemoving = true;
    try {
      await this.#page.player.removeMessages(slots);
    } catch (error) {
      note(sentence(error), "bad");
    } finally {
      this.#isRemoving = false;
    }
  }

  async #post(event) {
    event.preventDefault();
    const { to, subject, body } = this.#form;
    try {
      await this.#page.player.post(Number(to.value), subject.value, body.value);
      note(WORDS.messages.sent, "good");
      subject.value = body.value = "";
    } catch (error) {
      note(sentence(error), "bad");
    }
  }
}

const keyOf = (one) => `${one.slot} ${one.turn} ${one.subject} ${one.body.length}`;

function grouped(letters) {
  const turns = new Map();
  for (const one of letters) turns.set(one.turn, [...(turns.get(one.turn) ?? []), one]);
  return turns;
}

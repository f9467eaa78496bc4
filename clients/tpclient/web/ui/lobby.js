// The lobby: login, and the list of games.
// The list is public. Joining a game means logging in to it.

import { Refusal } from "../core/errors.js";
import { byUrgency } from "../core/home.js";
import { WATCH, readLogin } from "../core/lobby.js";
import { ACCOUNTS, GAME_CREATION, GUESTS, PASSWORD_RESET, SIGN_IN } from "../core/visitor.js";
import { WORDS, duration } from "../words.js";
import { $, h, say, show } from "./dom.js";
import { ownGame, showLogins } from "./home.js";
import { clockWords, optionWords } from "./setup.js";
import { stayNoMore } from "./staying.js";
import { note, sentence } from "./toasts.js";

/** Of a download every so many things are shown. */
const STEP = 250;
const LOOK_AGAIN = 5_000;

/** Of so many games that wait for players is told what they were made with. */
const MOST_SETUPS = 50;
/** A clock of equal turns, in the notes of a game. */
const EQUAL = /^interval:\d+$/;

/**
 * Into a game without a free seat, or that is over or for invited players, come only those who have a seat.
 * @param {import("../core/lobby.js").Listing} game @returns {boolean}
 */
function needsSeat({ notes, isOver, isClosed }) {
  const [, taken, seats] = notes.map((note) => /^(\d+) of (\d+) seats/.exec(note)).find(Boolean) ?? [];
  return isOver || isClosed || Boolean(seats && Number(taken) >= Number(seats));
}

/** A note in words if it tells how turns end; "" where that is told already. */
const noteWords = (note) => (EQUAL.test(note) ? "" : clockWords(note));

/** The same for names that the server takes for one. @param {string} name */
const keyOf = (name) => name.normalize("NFKC").toLowerCase().normalize("NFKC");

const setupKey = ({ name, created }) => `${created} ${name}`;

export class Lobby {
  #page;
  #timer = 0;
  #busy = false;
  /** @type {import("../core/lobby.js").Listing[]} */
  games = [];
  /** The own games of whoever is logged in; null: nobody is. @type {import("../core/home.js").OwnGame[]|null} */
  #mine = null;
  /** Whether somebody is logged in, or comes back as the browser that stays so. */
  #isHome = false;
  /** What games that wait for players were made with; null: that is not told. @type {Map<string, import("../core/home.js").Setup|null>} */
  #setups = new Map();
  /** What people call rulesets, by their names in lists; those that the server does not tell are called by these. @type {Map<string, string>} */
  #titles = new Map();
  #takesFocus = false;

  /** @param {Object} page `player`, `enter(user, password, game)`, `moveTo(game)`, `accept()`, `stay()`, `logOut()`, `reading`, `making`, `noticeDialog` */
  constructor(page) {
    this.#page = page;
    $("login").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#logIn();
    });
    $("register").addEventListener("click", () => this.#register());
    $("new-game").addEventListener("click", () => this.#page.making.open());
    $("log-out").addEventListener("click", () => this.#page.logOut());
    $("where").addEventListener("toggle", () => $("where").open && this.#showLogins());
  }

  /** Show the entrance from now on. @param {string} problem why the player is here again, "" if there is no reason @param {string} note */
  open(problem = "", note = "") {
    this.#isHome = false;
    this.#mine = null;
    this.#begin();
    say($("login-problem"), problem);
    say($("login-note"), note);
    for (const id of ["login-card", "games-card"]) $(id).hidden = false;
    for (const id of ["home-card", "account-card"]) $(id).hidden = true;
  }

  /**
   * Show the games of whoever is logged in, or comes back as the browser that stays so.
   * @param {string} problem @param {boolean} takesFocus not where the page has just been opened
   */
  openHome(problem = "", takesFocus = true) {
    this.#isHome = true;
    this.#takesFocus = takesFocus;
    this.#mine = null;
    $("login-card").hidden = true;
    $("password").value = "";
    say($("progress"), WORDS.lobby.askingGames);
    this.#begin();
    say($("home-note"), problem);
  }

  #begin() {
    $("lobby").hidden = false;
    if (!this.#isHome) say($("progress"), "");
    delete $("games").dataset.key;
    this.#look();
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    $("lobby").hidden = true;
    $("password").value = ""; // whoever sits here next must not find it
    say($("progress"), "");
  }

  /** Tell why there is no list now. */
  say(sentence) {
    say($(this.#isHome ? "home-note" : "games-note"), sentence);
    say($("progress"), "");
  }

  async #look() {
    clearTimeout(this.#timer);
    const { player } = this.#page;
    const isHome = this.#isHome;
    try {
      const [games, features, mine] = await Promise.all([player.games(), player.features().catch(() => []), isHome ? player.ownGames() : null]);
      if ($("lobby").hidden || isHome !== this.#isHome) return;
      await this.#learnTitles(games);
      if ($("lobby").hidden || isHome !== this.#isHome) return;
      this.games = games;
      this.#mine = mine;
      $("register").hidden = !features.includes(ACCOUNTS);
      $("forgotten").hidden = !features.includes(PASSWORD_RESET);
      $("new-game").hidden = !features.includes(GAME_CREATION);
      if (features.includes(GUESTS) || features.includes(SIGN_IN)) import("./doors.js").then(({ offer }) => offer(this.#page, this, features)).catch(() => {}); // it is offered at the next look
      if (isHome) this.#showHome();
      this.#draw();
      say($("games-note"), this.#note());
      await this.#showOpenSeats().catch(() => {}); // an older server tells of none
      await this.#learnSetups();
    } catch (error) {
      if ($("lobby").hidden || isHome !== this.#isHome) return;
      if (isHome && error instanceof Refusal && !error.isTemporary) {
        this.#page.leave(sentence(error)); // the browser is logged in no more
        stayNoMore();
        return;
      }
      for (const id of isHome ? ["home-card"] : []) $(id).hidden = false;
      this.say(sentence(error));
      show($("games"));
      delete $("games").dataset.key; // the same games are drawn again when the server is back
    }
    if (!$("lobby").hidden) this.#timer = setTimeout(() => this.#look(), LOOK_AGAIN);
  }

  /** Ask what rulesets are called, once for each that was not seen before. */
  async #learnTitles(games) {
    const unknown = new Set(games.map(({ ruleset }) => ruleset).filter((name) => !this.#titles.has(name)));
    if (!unknown.size) return;
    const told = await this.#page.player.rulesets().catch((error) => {
      if (error instanceof Refusal) return []; // an older server
      throw error;
    });
    for (const name of unknown) this.#titles.set(name, told.find((one) => one.name === name)?.title ?? name);
  }

  /** Ask what the games were made with that somebody might join. Not to know it harms nobody. */
  async #learnSetups() {
    const unknown = this.#others().filter((game) => game.notes[0] === "waiting" && !game.isClosed && !this.#setups.has(setupKey(game)));
    for (const game of unknown.slice(0, MOST_SETUPS - this.#setups.size)) {
      this.#setups.set(setupKey(game), await this.#page.player.setup(game.name).catch(() => null));
      if ($("lobby").hidden) return;
    }
    if (!unknown.length) return;
    delete $("games").dataset.key;
    this.#draw();
  }

  /** The seats of running games that seek somebody; most servers have none, and then nothing is loaded for them. */
  async #showOpenSeats() {
    const { player } = this.#page;
    const isHome = this.#isHome;
    const told = await player.requests.getOpenSeats();
    const mine = this.#mine?.map((game) => game.name) ?? [];
    const key = JSON.stringify([told, mine, isHome]);
    if ($("open-seats").dataset.key === key || isHome !== this.#isHome) return;
    $("open-seats").dataset.key = key;
    let entries = [];
    if (told.seats?.length) {
      const [{ readOpenSeats }, { openSeatEntries }] = await Promise.all([import("../core/seats.js"), import("./seatbox.js")]);
      const take = ({ game, player: number }) => this.#busy || this.#work(async () => {
        await player.requests.takeSeat({ game, player: number });
        await this.#page.moveTo(game);
      });
      entries = openSeatEntries(readOpenSeats(told).filter(({ game }) => !mine.includes(game)), isHome ? take : null);
    }
    show($("open-seats-list"), entries);
    $("open-seats").hidden = !entries.length;
  }

  #note() {
    if (!this.games.length) return $("new-game").hidden ? WORDS.lobby.noGamesYet : WORDS.lobby.noGames;
    return this.#mine && !this.#others().length ? WORDS.lobby.inAllGames : "";
  }

  /** The games of the server in which whoever is logged in has no seat. */
  #others() {
    const mine = new Set(this.#mine?.map((game) => game.name));
    return this.games.filter((game) => !mine.has(game.name));
  }

  #showHome() {
    const isNew = $("home-card").hidden || $("account-card").hidden;
    for (const id of ["home-card", "games-card", "account-card"]) $(id).hidden = false;
    if (!this.#busy) say($("progress"), "");
    say($("account-title"), WORDS.lobby.loggedInAs({ name: this.#page.player.user }));
    if (isNew) {
      $("where").open = false;
      this.#page.noticeDialog.offer("notices-home");
      if (this.#takesFocus) $("home-title").focus();
    }
  }

  #draw() {
    const key = JSON.stringify([this.games, this.#mine]);
    // The focus goes back to the button that opened the rules, so that has to stay as long as they are open.
    if ($("games").dataset.key === key || $("help").open) return;
    $("games").dataset.key = key;
    const focused = Object.entries(document.activeElement?.dataset ?? {}).find(([name]) => ["game", "watch", "rules"].includes(name));
    say($("games-title"), this.#mine ? WORDS.lobby.otherGames : WORDS.lobby.games);
    show($("games"), this.#others().map((game) => this.#entry(game)));
    if (this.#mine) this.#drawMine();
    if (focused) document.querySelector(`[data-${focused[0]}="${CSS.escape(focused[1])}"]`)?.focus();
  }

  #drawMine() {
    const { reading, player } = this.#page;
    const cards = byUrgency(this.#mine).map((game) => ownGame(game, () => this.#join(game.seats.some(({ isMine }) => isMine) ? game.name : game.name + WATCH), () => reading.read(() => player.rules(game.ruleset, game.version))));
    show($("own-games"), cards.length ? cards : h("li", { class: "hint", text: WORDS.lobby.joinBelow }));
    const waiting = this.#mine.filter((game) => game.isAwaited).length;
    say($("home-title"), waiting ? WORDS.lobby.myGamesWaiting({ count: waiting }) : WORDS.lobby.myGames);
  }

  #entry(game) {
    const facts = [
      game.notes[0],
      game.turn === null ? "" : WORDS.lobby.turn({ turn: game.turn }),
      game.players === null || game.notes.some((note) => note.includes("seats")) ? "" : WORDS.lobby.players({ count: game.players }),
      game.connected === null ? "" : WORDS.lobby.here({ count: game.connected }),
      game.deadline === null ? "" : WORDS.lobby.nextTurn({ when: new Date(game.deadline).toLocaleString() }),
      game.pause === null || !game.notes.some((note) => EQUAL.test(note)) ? "" : WORDS.lobby.turnEvery({ time: duration(game.pause) }),
      ...game.notes.slice(1).map(noteWords),
      optionWords(this.#setups.get(setupKey(game)) ?? { options: [] }),
    ].filter(Boolean);
    const isReturn = needsSeat(game);
    return h(
      "li",
      { class: "game" },
      h("div", {}, h("h3", { text: game.title }), h("p", { class: "ruleset", text: this.#titles.get(game.ruleset) ?? game.ruleset }), h("p", { class: "hint", text: facts.join(" · ") })),
      h(
        "div",
        { class: "ways" },
        // Whoever is logged in has no seat there, or it would be among the own games.
        (!isReturn || !this.#mine) && h("button", { type: "button", "data-game": game.name, "aria-label": WORDS.lobby.enter({ isReturn, game: game.title }), title: !isReturn ? null : WORDS.lobby.forSeats, onclick: () => this.#join(game.name), text: isReturn ? WORDS.lobby.return : WORDS.lobby.join }),
        !game.isClosed && h("button", { type: "button", class: "quiet", "data-watch": game.name, "aria-label": WORDS.lobby.watchGame({ game: game.title }), onclick: () => this.#join(game.name + WATCH), text: WORDS.lobby.watch }),
        h("button", { type: "button", class: "quiet", "data-rules": game.name, "aria-label": WORDS.common.rulesOf({ name: game.title }), "aria-haspopup": "dialog", onclick: () => this.#page.reading.read(() => this.#page.player.rules(game.ruleset, game.version)), text: WORDS.common.rules }),
      ),
    );
  }

  /** Who logs in, and where to, as NAME@GAME says. @returns {Object|null} see readLogin */
  #credentials() {
    const [typed, password] = [$("user").value.trim(), $("password").value];
    const named = readLogin(typed);
    if (named && password) return { ...named, password };
    say($("login-problem"), named ? WORDS.lobby.typePassword : typed ? WORDS.lobby.typeOther : WORDS.lobby.typeName);
    $(named ? "password" : "user").focus();
    return null;
  }

  /** Go into a game: as whoever is logged in, else with the name and password of the form. */
  async #join(game) {
    if (this.#busy) return;
    const aim = { game: game.replace(WATCH, ""), isWatching: game.endsWith(WATCH), turn: null };
    if (this.#isHome) {
      await this.#work(() => this.#goInto(aim));
      return;
    }
    const who = this.#credentials();
    if (who) await this.#work(() => this.#goTo({ ...who, ...aim }));
  }

  async #enter({ user, password }, game) {
    await this.#page.enter(user, password, game);
    if ($("stay").checked) await this.#page.stay();
  }

  async #logIn() {
    const who = this.#credentials();
    if (who && !this.#busy) await this.#work(() => this.#goTo(who));
  }

  /** Log in, and go to the game that somebody has named beside the own name. */
  async #goTo(who) {
    const game = this.#listed(who.game);
    if (!game) await this.#arrive(who);
    else if (who.turn === null && !this.#isInvitedTo(game)) await this.#enter(who, game + (who.isWatching ? WATCH : ""));
    else {
      await this.#comeHome(who);
      await this.goOn(who);
    }
  }

  /** Open the game that was named at the login; without one, show the list of games. @param {Object} named see readLogin */
  async goOn(named) {
    try {
      if (named.game) await this.#goInto(named);
      else this.openHome();
    } catch (error) {
      this.openHome(sentence(error)); // the password was right
    }
  }

  /** Go into a game, to watch it, or to an old turn of it. */
  async #goInto({ game: named, isWatching, turn }) {
    const game = this.#listed(named);
    const { player } = this.#page;
    const isMine = (one) => one.name === game && one.seats.some((seat) => seat.isMine);
    const looks = isWatching || (turn !== null && !(await player.ownGames()).some(isMine)); // to look takes no seat
    if (this.#isInvitedTo(game)) await this.#page.accept(looks);
    else await this.#page.moveTo(game + (looks ? WATCH : ""));
    if (turn !== null) await this.#page.past.go(turn);
  }

  /** The name of a game as the server lists it. @param {string} named */
  #listed(named) {
    return this.games.find(({ name }) => keyOf(name) === keyOf(named))?.name ?? named;
  }

  #isInvitedTo(game) {
    const { invitation } = this.#page;
    return invitation !== null && keyOf(invitation.game) === keyOf(game);
  }

  async #comeHome({ user, password }) {
    await this.#page.player.loginAccount(user, password);
    this.#page.arrived(user, password);
    if ($("stay").checked) await this.#page.stay();
  }

  /** Log in as somebody whom a door has let in. @param {() => Promise<{user: string, password: string}>} call */
  async arriveBy(call) {
    if (!this.#busy) await this.#work(async () => this.#arrive(await call()));
  }

  /** Log in to the account; where one game can be meant that is gone into, else there is a list of them. */
  async #arrive(who) {
    const { player } = this.#page;
    await this.#comeHome(who);
    const mine = await player.ownGames();
    const going = mine.filter((game) => !game.isOver);
    const [meant] = going.length === 1 ? going : this.games.length === 1 ? this.games : [];
    const { invitation } = this.#page;
    if (!meant && !invitation) {
      this.openHome();
      return;
    }
    try {
      if (invitation) await this.#page.accept();
      else await this.#page.moveTo(meant.name);
    } catch (error) {
      this.openHome(sentence(error)); // the password was right
    }
  }

  async #register() {
    const who = this.#credentials();
    if (!who || this.#busy) return;
    await this.#work(async () => {
      await this.#page.player.createAccount(who.user, who.password);
      await this.#goTo(who);
    });
  }

  async #work(call) {
    this.#busy = true;
    say($("login-problem"), "");
    try {
      await call();
    } catch (error) {
      say($("progress"), "");
      if ($("lobby").hidden) note(sentence(error), "bad");
      else say($(this.#isHome ? "home-note" : "login-problem"), sentence(error));
    } finally {
      this.#busy = false;
      $("progress-bar").hidden = true;
    }
  }

  async #showLogins() {
    const { player } = this.#page;
    try {
      showLogins(await player.keptLogins(), async (id) => {
        try {
          note(await player.revokeLogin(id), "good");
          await this.#showLogins();
        } catch (error) {
          note(sentence(error), "bad");
        }
      });
    } catch (error) {
      show($("kept-logins"), h("li", { class: "problem", text: sentence(error) }));
    }
  }
}

/** Show how far the download is. */
export function progress(done, total) {
  if (done < total && done % STEP) return;
  const bar = $("progress-bar");
  bar.hidden = done >= total;
  bar.max = Math.max(total, 1);
  bar.value = done;
  say($("progress"), total > 200 && done < total ? WORDS.lobby.downloading({ count: total }) : "");
}

// The page: decides which parts to show to whom, and when.
// All knowledge of the game comes from the server's descriptions.

import { fightsOf } from "./core/changes.js";
import { Refusal } from "./core/errors.js";
import { actors, isAwaited, ordersGiven } from "./core/guidance.js";
import { readInvitation } from "./core/home.js";
import { Legal } from "./core/legal.js";
import { WATCH } from "./core/lobby.js";
import { Player } from "./core/player.js";
import { codeInAddress } from "./core/typed.js";
import { Acting } from "./ui/acting.js";
import { ask, stopAsking } from "./ui/asking.js";
import { applyColours } from "./ui/colours.js";
import { $, picture, reveal, say, settled, show } from "./ui/dom.js";
import { Ending } from "./ui/ending.js";
import { guard } from "./ui/guard.js";
import { Guide } from "./ui/guide.js";
import { HistoryBar } from "./ui/history.js";
import { bindKeys } from "./ui/keys.js";
import { Legend } from "./ui/legend.js";
import { Mine, Places, takers } from "./ui/lists.js";
import { Home } from "./ui/home.js";
import { Lobby, progress } from "./ui/lobby.js";
import { ClockBox } from "./ui/clockbox.js";
import { Making } from "./ui/making.js";
import { MapView } from "./ui/map.js";
import { keep, recalled } from "./ui/memory.js";
import { Messages } from "./ui/messages.js";
import { NoticeDialog } from "./ui/noticedialog.js";
import { ObjectPanel } from "./ui/objectpanel.js";
import { Picking } from "./ui/picking.js";
import { loadPictures } from "./ui/pictures.js";
import { Replay } from "./ui/replay.js";
import { FINISH, RulesDialog } from "./ui/rules.js";
import { Sound } from "./ui/sound.js";
import { StoryPanel } from "./ui/story.js";
import { setupParts } from "./ui/setup.js";
import { finishLogOut, isStaying, logOut, post, stayLoggedIn, stayNoMore } from "./ui/staying.js";
import { Tabs } from "./ui/tabs.js";
import { applyTheme, nextTheme } from "./ui/theme.js";
import { banner, forgetTurn, note, sentence, tell } from "./ui/toasts.js";
import { TurnBox } from "./ui/turn.js";
import { TurnNames } from "./ui/turnnames.js";
import { WORDS } from "./words.js";

const MEMORY = "tpclient";
/** Which turn was finished last here: it can be taken back after a reload, too. */
const FINISHED = "tpclient-finished";
/** From which turn on we have missed what happened and have not taken notice of it: that is told after a reload, too. */
const MISSED = "tpclient-missed";
/** Who has come by a login link last, and so knows no password. */
const BY_LINK = "tpclient-by-link";
const IN_GAME = ["game", "turn-box", "view-button", "finish", "go-home", "leave"];
/** Under this it is remembered that the map looks as in old clients. */
const AS_OLD = "tpclient.as-old";
const PARADE = ["ant", "queen", "fleet", "spider", "crown", "cube", "fungus", "cocoon", "planet", "artifact"];

class Page {
  player = new Player({ url: new URL("ws", location.href).href.replace(/^http/, "ws") });
  map = new MapView();
  turnNames = new TurnNames();
  legal = new Legal(this.player);
  acting = new Acting(this);
  /** The rules of the game that is played; null as long as they are not known. @type {import("./core/rules.js").Rules|null} */
  rules = null;
  reading = new RulesDialog(this);
  #learnStandingSoon = settled(() => this.#learnStanding(), 150);
  #picking = new Picking(this);
  #tabs = new Tabs((name) => this.#tabShown(name));
  #panel = new ObjectPanel(this);
  #mine = new Mine(this);
  #places = new Places(this);
  #messages = new Messages(this);
  #legend = new Legend(this);
  #turn = new TurnBox(this);
  making = new Making(this);
  clockBox = new ClockBox(this);
  noticeDialog = new NoticeDialog(this);
  /** Who is away; null until a game is shown. @type {import("./ui/seatbox.js").SeatBox|null} */
  seatBox = null;
  #agreements = null;
  /** The invitation in this page's address, until it is used. @type {{game: string, word: string}|null} */
  invitation = readInvitation(location.hash);
  #lobby = new Lobby(this);
  #home = new Home(this);
  #guide = new Guide(this);
  #story = new StoryPanel(this);
  replay = new Replay(this);
  past = new HistoryBar(this);
  ending = new Ending(this);
  #sound = new Sound(this);
  /** The turn in which an order was given from here last: where orders are carried out at once, no queue shows it. */
  #orderedIn = -1;
  /** The turn that was shown when the connection was lost; null while there is one. @type {number|null} */
  #lostIn = null;
  /** Whether an invitation in a letter is being followed. */
  #isFollowing = false;

  constructor() {
    guard(this.player);
    this.#listen();
    bindKeys(this);
    $("view-button").addEventListener("click", () => this.switchView());
    $("finish").addEventListener("click", () => (this.#turn.takesBack ? this.#unfinish() : this.finish()));
    $("ending-look").addEventListener("click", () => this.past.look());
    $("leave").addEventListener("click", () => this.logOut());
    $("go-home").addEventListener("click", () => this.goHome());
    $("account-button").addEventListener("click", () => this.#openAccount());
    $("forgotten").addEventListener("click", () => this.#openReset());
    $("talk-button").addEventListener("click", () => this.openTalk());
    $("theme").addEventListener("click", () => nextTheme());
    for (const id of ["help-button", "goal-rules", "waiting-rules"]) $(id).addEventListener("click", () => this.help());
    $("zoom-in").addEventListener("click", () => this.map.zoom(1.3));
    $("zoom-out").addEventListener("click", () => this.map.zoom(1 / 1.3));
    $("zoom-fit").addEventListener("click", () => this.map.fit());
  }

  async start() {
    applyTheme();
    this.map.showAsOld(recalled(AS_OLD) === "yes");
    await Promise.all([loadPictures().then(() => show($("parade"), PARADE.map((name) => picture(name)))), this.#begin()]);
  }

  /** What is seldom wanted comes when it is. */
  #openAccount() {
    return import("./ui/account.js").then(({ openAccount }) => openAccount(this)).catch((error) => note(sentence(error), "bad"));
  }

  /** @param {string} code from the mail, "": there is none yet */
  #openReset(code = "") {
    return import("./ui/reset.js").then(({ openReset }) => openReset(this, code)).catch((error) => note(sentence(error), "bad"));
  }

  async openOwning() {
    try {
      const { openOwning } = await import("./ui/owning.js");
      await openOwning(this);
    } catch (error) {
      note(sentence(error), "bad");
    }
  }

  /** @param {Object|null} letter one on the board that is to be reported */
  async openTalk(letter = null) {
    try {
      const { openTalk } = await import("./ui/talk.js");
      await openTalk(this, letter);
    } catch (error) {
      note(sentence(error), "bad");
    }
  }

  /** A login link, what this tab remembers, the games of whoever has stayed logged in, or the entrance. */
  async #begin() {
    const token = /^#link=(.+)$/.exec(location.hash)?.[1];
    const code = codeInAddress(/^#reset=(.+)$/.exec(location.hash)?.[1] ?? "");
    await finishLogOut().catch(() => {}); // it is still to be done then
    try {
      if (location.hash === "#signed-in") {
        history.replaceState(null, "", location.pathname);
        const { arrive } = await import("./ui/doors.js");
        if (await arrive(this, this.#lobby)) return;
      }
    } catch (error) {
      note(sentence(error), "bad");
    }
    const remembered = recall();
    try {
      if (code) {
        history.replaceState(null, "", location.pathname);
        this.#lobby.open();
        await this.#openReset(code);
      } else if (this.invitation) await this.#beInvited(remembered);
      else if (token) await this.#useLink(decodeURIComponent(token));
      else if (remembered?.game === null) {
        await this.player.loginAccount(remembered.password && remembered.user, remembered.password);
        this.#lobby.openHome("", false);
      } else if (remembered) await this.enter(remembered.user, remembered.password, remembered.game);
      else if (isStaying()) this.#lobby.openHome("", false);
      else this.#lobby.open();
    } catch (error) {
      $("user").value = remembered?.user ?? "";
      if (error instanceof Refusal && !error.isTemporary && remembered?.password === "") stayNoMore();
      this.#lobby.open(sentence(error));
    }
  }

  /** Whoever is logged in goes into the game at once; anybody else is asked for a name, or makes an account. */
  async #beInvited(remembered) {
    history.replaceState(null, "", location.pathname);
    if (!remembered && !isStaying()) {
      this.#lobby.open("", WORDS.page.invited({ game: this.invitation.game }));
      return;
    }
    await this.player.loginAccount(remembered?.password && remembered.user, remembered?.password);
    this.arrived(this.player.user, remembered?.password ?? "");
    await this.accept().catch((error) => this.#lobby.openHome(sentence(error), false));
  }

  /** Go to a game by an invitation that came in a letter. */
  async follow(invitation) {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.invitation = invitation;
    await this.accept().catch((error) => {
      this.goHome();
      note(sentence(error), "bad");
    });
    this.#isFollowing = false;
  }

  /** Go into the game to which this page's address has invited. Rejects with the server's refusal. @param {boolean} isWatching */
  async accept(isWatching = false) {
    const { game, word } = this.invitation;
    this.invitation = null; // it is not tried twice
    await this.moveTo(game + (isWatching ? WATCH : ""), word);
  }

  /** Turn the token of a login link, which works once, into a login. */
  async #useLink(token) {
    history.replaceState(null, "", location.pathname);
    const told = await post("link", { token });
    await this.enter(told.user, told.password, told.game ?? "");
    keep(BY_LINK, told.user);
    await this.stay();
  }

  // --- coming and going

  /** Log in and show the game. Rejects with the server's refusal. @param {string} password "": as the browser that stays logged in */
  async enter(user, password, game) {
    tell(WORDS.page.loggingIn);
    await this.player.login(user, password, game, progress);
    remember({ user, password, game });
    await this.#showGame();
  }

  /** Go into a game as whoever is logged in. Rejects with the server's refusal. */
  async moveTo(game, invitation = "") {
    tell(WORDS.page.openingGame);
    const who = recall();
    await this.player.moveTo(game, progress, invitation);
    remember({ user: this.player.user, password: who?.password ?? "", game });
    await this.#showGame();
  }

  async #showGame() {
    await loadPictures();
    this.#lobby.close();
    for (const id of IN_GAME) $(id).hidden = false;
    $("finish").hidden = this.player.isWatching;
    document.body.classList.add("playing");
    this.#anew();
    this.#home.follow();
    tell(this.player.isWatching ? WORDS.page.youWatchAs({ name: this.player.user }) : WORDS.page.loggedInAs({ name: this.player.user }));
  }

  /** At home with the account: what a reload of this tab comes back to. */
  arrived(user, password) {
    remember({ user, password, game: null });
  }

  /** Let this browser stay logged in; if that cannot be, this tab is logged in all the same. */
  async stay() {
    try {
      if (await stayLoggedIn(this.player)) remember({ ...recall(), password: "" });
    } catch (error) {
      if (recall()) note(WORDS.page.onlyThisTab({ why: sentence(error) }), "bad");
    }
  }

  /** Out of the game, to the list of one's games. */
  goHome() {
    const who = recall();
    this.#endGame();
    this.arrived(this.player.user, who?.password ?? "");
    this.#lobby.openHome();
  }

  /** Log this browser out, and show the entrance. */
  async logOut() {
    const { user } = this.player;
    this.#lobby.close();
    this.#endGame();
    forget();
    await logOut().catch((error) => note(WORDS.page.notLoggedOut({ why: sentence(error) }), "bad"));
    this.#lobby.open("", user && recalled(BY_LINK) === user ? WORDS.page.openNewestLink : "");
  }

  /** Out of everything, to the entrance. @param {string} problem why, "" if there is no reason */
  leave(problem = "") {
    this.#endGame();
    forget();
    this.#lobby.open(problem);
  }

  /** All games that the lobby lists. */
  get games() {
    return this.#lobby.games;
  }

  #endGame() {
    this.#picking.stop();
    this.past.leave();
    this.acting.stop();
    forgetTurn();
    this.player.leave();
    banner("");
    for (const id of [...IN_GAME, "goal", "notices-game"]) $(id).hidden = true;
    this.#home.unfollow();
    this.rules = null;
    document.body.classList.remove("playing");
    document.title = WORDS.common.product;
    say($("brand"), WORDS.common.product);
  }

  /** Show a universe that was not shown before. */
  #anew() {
    const { clock, universe } = this.player;
    this.turnNames.clear();
    this.#orderedIn = -1;
    this.#lostIn = null;
    this.#learnRules();
    this.#learnSetup();
    this.noticeDialog.offer("notices-game");
    this.clockBox.reset();
    this.#learnSeats();
    applyColours(universe);
    this.#learnStanding();
    if (clock) this.turnNames.learn(clock);
    if (recalled(FINISHED) === this.#finished) this.player.finishedTurn = this.player.turn;
    say($("brand"), this.player.game.replace(WATCH, "") || universe.objectName(0));
    this.past.reset();
    this.map.update(universe);
    this.map.tick(null);
    this.replay.reset();
    this.ending.reset();
    this.#sound.reset();
    this.#panel.select(null);
    this.acting.stop();
    this.legal.reset();
    this.#messages.reset();
    this.#story.reset();
    this.#updateAll();
    this.#turn.update();
    const [first] = takers(this);
    if (first) this.select(first.id, false);
    else this.#tabs.show("mine");
  }

  /** The rules are not needed to play: whatever asks for them is there when they come. */
  async #learnRules() {
    const { universe } = this.player;
    this.rules = null;
    this.#showGoal(""); // its line is there from the start: a board that is seen keeps its size
    const rules = await this.player.ownRules().catch(() => null);
    if (universe !== this.player.universe || $("game").hidden) return;
    this.rules = rules;
    this.#showGoal(rules ? rules.goal : null);
    this.#updateAll();
  }

  /** In the waiting room it is told what the game was made with, where the server does. */
  async #learnSetup() {
    show($("waiting-setup"));
    const { universe } = this.player;
    const setup = await this.player.setup("").catch(() => null);
    if (setup && universe === this.player.universe) show($("waiting-setup"), setupParts(setup));
  }

  /** Who is away is not needed to play: it comes when a game is shown, with all that it needs. */
  async #learnSeats() {
    const { SeatBox } = await import("./ui/seatbox.js").catch(() => ({})); // the server may be gone: it is asked again
    if (!SeatBox) return;
    this.seatBox ??= new SeatBox(this);
    this.seatBox.reset();
  }

  /** Who is away is shown when it comes. */
  seatsTold() {
    this.#mine.update();
  }

  /** Open the dialog of what the players agree on, whose module comes when it is first opened. */
  async openAgreements() {
    try {
      const { AgreementDialog } = await import("./ui/agreements.js");
      this.#agreements ??= new AgreementDialog(this);
      await this.#agreements.open();
    } catch (error) {
      note(sentence(error), "bad");
    }
  }

  /** What the clock says is shown when it comes. */
  clockTold() {
    this.#mine.update();
    this.#turn.update();
    this.#guide.update();
  }

  /** How all stand is shown when it comes: after a turn has begun, and after an order was given or taken back. */
  async #learnStanding() {
    const { universe } = this.player;
    const standing = await this.player.standing().catch(() => null);
    if (universe !== this.player.universe || $("game").hidden || !standing) return;
    universe.standing = standing;
    this.map.drawRegions();
    this.#mine.update();
  }

  /** Show the dots and names of the old clients, or not. */
  showAsOld(isOld) {
    keep(AS_OLD, isOld ? "yes" : "");
    this.player.universe.isNamedAsStored = isOld;
    this.map.showAsOld(isOld);
    this.#updateAll();
  }

  /** @param {string|null} goal null: nobody knows */
  #showGoal(goal) {
    $("goal").hidden = goal === null;
    say($("goal").firstElementChild, goal ?? "");
  }

  // --- what the player does

  /** The object that is selected, null if none is. */
  get selected() {
    return this.#panel.id;
  }

  /** Whether anything was ordered in this turn. */
  get hasOrdered() {
    return this.#orderedIn === this.player.turn || ordersGiven(this.player) > 0;
  }

  get story() {
    return this.#story.story;
  }

  /** An order was given here. */
  ordered() {
    this.story.takeNotice();
    this.#orderedIn = this.player.turn;
    this.replay.tint(new Set());
    this.queueChanged();
  }

  /** Select an object, wherever it was pointed at. */
  select(id, shows = true) {
    this.acting.choose(id, shows); // first: the server is asked where it can go, and has answered when the rest is done
    this.#panel.select(id);
    if (!this.past.isShown) this.map.select(id);
    if (shows) this.#tabs.show("selected");
    const thing = this.player.universe.objects.get(id);
    if (thing) tell(WORDS.page.selected({ name: this.player.universe.objectName(id) }));
    this.#guide.update();
  }

  /** Show on the map where an object is; what is being written stays, and so does the tab. */
  pointOut(id) {
    if (this.#panel.form.isOpen) this.map.select(id);
    else this.select(id, false);
    reveal($("map-box"));
  }

  /** An old turn is shown in place of the game, or the game again. */
  lookBack(isPast) {
    document.body.classList.toggle("looking-back", isPast);
    $("side").classList.toggle("covered", isPast);
    this.#picking.stop();
    this.acting.hush();
    this.replay.skip();
    if (isPast) return;
    this.map.update(this.player.universe, true);
    this.map.select(this.#panel.id);
    this.replay.back();
    this.#updateAll();
  }

  /** Let the player point at an object. @returns {Promise<number|null>} its id, null if the player thinks better of it */
  pick(kinds, purpose, name = "", look = null) {
    return this.#picking.pick(kinds, purpose, name, look);
  }

  /** Fill in the rest of an order in its form. @param {number} on what carries it @param {any[]} values its first ones */
  openForm(on, kind, values) {
    const thing = this.player.universe.objects.get(on);
    if (!thing) return;
    this.#tabs.show("selected");
    this.#panel.form.open(thing, kind, null, true, values, this.#panel.id);
  }

  /** A place was clicked, and what is there is meant. */
  meant(place) {
    this.select(this.best(place));
  }

  stopPicking() {
    this.#picking.stop();
  }

  switchView() {
    this.map.show(this.map.view === "normal" ? "resource" : "normal");
  }

  tick(resources) {
    this.map.tick(resources);
  }

  /** Which game this is, to be known again after a reload. */
  get #identity() {
    const { game, listing, user } = this.player;
    return `${user}@${listing?.name ?? game} ${listing?.created ?? ""}`;
  }

  /** Which turn of which game this is. */
  get #finished() {
    return `${this.#identity} ${this.player.turn}`;
  }

  /** We have come into a game: what has been new since we looked last is told. @param {import("./core/home.js").OwnGame} game */
  async cameBack({ turn, newTurns, newLetters }) {
    const identity = this.#identity;
    const missed = recalled(MISSED);
    const [from, letters] = missed.startsWith(`${identity} `) ? missed.slice(identity.length + 1).split(" ").map(Number) : [turn - newTurns + 1, 0];
    await this.story.cameBack(from, turn, letters + newLetters);
    if (identity !== this.#identity) return;
    const { absence } = this.story;
    if (absence) keep(MISSED, `${identity} ${absence.first} ${absence.letters}`);
  }

  async finish() {
    if ($("finish").disabled || $("finish").hidden || this.past.isShown) return;
    const { turn } = this.player;
    if (!(await this.#mayFinish())) return;
    if (this.player.turn !== turn || $("finish").disabled) return;
    this.replay.tint(new Set());
    this.story.takeNotice();
    try {
      const words = (await this.player.finishTurn()) || WORDS.page.turnFinished;
      if (this.player.turn === turn) {
        keep(FINISHED, this.#finished);
        note(words, "good", true);
      }
      await this.player.timeRemaining();
      this.#home.lookSoon();
    } catch (error) {
      note(sentence(error), "bad");
    }
  }

  /** Take back that the turn is finished. */
  async #unfinish() {
    try {
      note((await this.player.unfinishTurn()) || WORDS.page.canChangeOrders, "good", true);
      await this.player.timeRemaining();
    } catch (error) {
      note(sentence(error), "bad");
      this.#turn.update();
    }
  }

  /** A turn in which something could be ordered is not given away by one click. */
  async #mayFinish() {
    if (this.hasOrdered || !isAwaited(this.player) || !actors(this.player.universe).length) return true;
    return ask({ title: WORDS.page.finishTitle, text: WORDS.page.finishText, yes: WORDS.page.finishAnyway, name: FINISH });
  }

  /** Go to the button that finishes the turn: a wrong key must not cost one. */
  goToFinish() {
    if ($("finish").hidden) return;
    if ($("finish").disabled) tell(`${$("finish").title}.`);
    else $("finish").focus();
  }

  help() {
    this.reading.open();
  }

  showTab(name) {
    this.#tabs.show(name);
    this.#tabs.focus(name);
  }

  /** Go to the orders of what is selected. */
  orders() {
    this.#tabs.show("selected");
    document.querySelector(".offer")?.focus();
  }

  /** Go on to the next of my pieces that take orders. */
  step(by) {
    const things = takers(this);
    if (!things.length) return;
    if (this.#panel.form.isOpen) {
      note(WORDS.page.orderIsOpen);
      return;
    }
    const at = things.findIndex((thing) => thing.id === this.#panel.id);
    this.select(things[(at + by + things.length) % things.length].id);
  }

  /** Escape: the last thing first: picking, a question at a target, the form, the targets. @returns {boolean} whether there was anything */
  escape() {
    if (this.past.leave()) return true;
    if (this.map.isPicking) this.#picking.stop();
    else if (this.#panel.form.isOpen && !this.acting.isAsking) this.#panel.form.close();
    else return this.acting.escape();
    return true;
  }

  // --- what the server does

  #listen() {
    const on = (name, call) => this.player.addEventListener(name, (event) => call(event.detail));
    on("changed", ({ changes }) => {
      // Whoever has joined while we waited has a colour, too.
      if (changes.fetched.players?.length) applyColours(this.player.universe);
      this.#changed(Boolean(changes.fetched.objects?.length || changes.gone.objects?.length));
    });
    on("queue", () => {
      this.queueChanged();
      this.#learnStandingSoon();
    });
    on("time", ({ clock }) => {
      this.turnNames.learn(clock);
      this.#turn.update();
      this.clockBox.look();
      this.seatBox?.look();
      this.#agreements?.look();
      this.past.update();
      if (this.player.state === "playing") {
        this.#sound.clock();
        this.#mine.update();
        this.#guide.update();
      }
    });
    on("turn", () => {
      forgetTurn();
      stopAsking();
      this.#changed();
      this.#learnStanding();
      this.#turn.update();
      this.#home.lookSoon();
    });
    on("messages", ({ news }) => {
      this.#messages.add(this.player.state === "playing" ? news : []);
      // The clock may tell the end before the last report has come.
      this.ending.update();
    });
    this.story.addEventListener("notice", () => keep(MISSED, ""));
    this.story.addEventListener("story", ({ detail }) => {
      if (detail.isNew && fightsOf(this.story.card(this.player.turn)?.reports ?? []).length) this.#sound.play("fight");
      this.replay.told();
      this.ending.update();
    });
    on("over", () => {
      this.#turn.update();
      this.#sound.play("end");
      this.ending.open();
    });
    on("progress", ({ done, total }) => this.player.state === "playing" || progress(done, total));
    on("lost", (detail) => this.#lost(detail));
    on("back", ({ rebuilt }) => this.#back(rebuilt));
    on("failed", ({ error }) => note(sentence(error), "bad"));
    this.map.addEventListener("select", ({ detail }) => this.past.isShown ? this.past.clicked(detail) : this.acting.clicked(detail) || this.meant(detail));
    this.legal.addEventListener("legal", () => this.#legalChanged());
    this.map.addEventListener("view", ({ detail }) => this.#viewShown(detail.view));
  }

  /** The orders of a queue are not what they were. */
  queueChanged() {
    this.#panel.updateQueue();
    this.#mine.update();
    this.map.drawLines();
    this.#guide.update();
  }

  /** What can be ordered now is known, or not any more. */
  #legalChanged() {
    if (!this.legal.isKnown || $("game").hidden) return;
    this.#panel.updateOrders();
    this.#mine.update();
    this.#legend.update();
    this.#guide.update();
  }

  /** @param {boolean} isMap whether anything on the map is new @param {boolean} isBack whether we were away */
  #changed(isMap = false, isBack = false) {
    if (this.player.state !== "playing" || $("game").hidden) return;
    if (!this.past.isShown) this.map.update(this.player.universe);
    if (isMap) this.replay.changed(isBack);
    this.#updateAll();
  }

  #updateAll() {
    this.#panel.update();
    this.#mine.update();
    this.#places.update();
    this.#messages.update();
    this.#legend.update();
    this.#guide.update();
    $("waiting").hidden = this.player.over || this.map.map?.boards.some((board) => board.icons.length);
  }

  /** What is meant when a place is clicked: the next thing of mine there that can act, or takes orders, else what stands there. */
  best({ icon, things, pieces = [] }) {
    const { universe } = this.player;
    const { acting } = this.legal;
    // What is drawn under the pointer comes first; what can act is not known at every moment.
    const able = (those) => those.filter((thing) => acting.has(thing.id));
    const taking = (those) => those.filter((thing) => thing.owner === universe.me && universe.offers(thing).length);
    const mine = [able(pieces), taking(pieces), able(things)].find((those) => those.length) ?? taking(things);
    const others = things.filter((thing) => thing.ships.size);
    const candidates = mine.length ? mine : others.length ? others : things.filter((thing) => thing.id === icon);
    const at = candidates.findIndex((thing) => thing.id === this.#panel.id);
    return candidates[(at + 1) % candidates.length]?.id ?? icon;
  }

  #viewShown(view) {
    const isResource = view === "resource";
    say($("view-button"), isResource ? WORDS.page.toNormalView : WORDS.page.toResourceView);
    this.#legend.update();
    this.#places.update();
    tell(isResource ? WORDS.page.resourceViewShown : WORDS.page.normalViewShown);
  }

  #tabShown(name) {
    this.#messages.shown(name === "messages");
    this.#story.shown(name === "story");
    this.#places.shown(name === "list");
    this.#mine.shown(name === "mine");
  }

  #lost({ error, seconds }) {
    this.#picking.stop();
    if ($("game").hidden) {
      if (this.player.state !== "playing") this.#lobby.say(sentence(error));
      return;
    }
    if (seconds === null) {
      if (error instanceof Refusal && recall()?.password === "") stayNoMore();
      this.leave(sentence(error));
      return;
    }
    this.#lostIn ??= this.player.turn;
    banner(WORDS.page.connectionLost({ why: sentence(error), seconds }), { label: WORDS.page.tryNow, call: () => this.player.retry() });
  }

  #back(rebuilt) {
    banner("");
    const before = this.#lostIn ?? this.player.turn;
    this.#lostIn = null;
    if (rebuilt) {
      this.#anew();
      note(WORDS.page.otherGame, "bad");
    } else {
      this.#changed(true, true);
      this.story.update();
      this.story.cameBack(before + 1, this.player.turn);
      note(WORDS.page.connectionBack, "good");
    }
    this.#turn.update();
  }
}

// What this tab remembers, so that a reload or a login link does not ask again. It ends with the tab.

function remember(who) {
  try {
    sessionStorage.setItem(MEMORY, JSON.stringify(who));
  } catch {
    // Without storage a reload asks for the password.
  }
}

function recall() {
  try {
    const who = JSON.parse(sessionStorage.getItem(MEMORY) ?? "null");
    return who && typeof who.user === "string" && typeof who.password === "string" ? who : null;
  } catch {
    return null;
  }
}

function forget() {
  try {
    sessionStorage.removeItem(MEMORY);
  } catch {
    // There was nothing to forget.
  }
}

window.addEventListener("unhandledrejection", (event) => note(sentence(event.reason), "bad"));
new Page().start();

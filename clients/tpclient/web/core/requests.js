// Requests as methods, by their names in JSON. `make proto` writes this module from tp.proto.
//
// `fields` are those of the request, as protocol/FRAMES.md explains them; those that are left out are 0, "" or empty.

import { text } from "./values.js";

/** The requests of a visitor, a player or a conversation. Methods reject as `askOne` does. */
export class Requests {
  #asker;

  /** @param {{ask: Function, askOne: Function}} asker */
  constructor(asker) {
    this.#asker = asker;
  }

  #one(kind, fields, wanted) {
    return this.#asker.askOne(kind, fields, wanted);
  }

  async #all(kind, fields, wanted) {
    return (await this.#asker.ask(kind, fields)).filter((frame) => frame.kind === wanted).map((frame) => frame.body);
  }

  async #words(kind, fields) {
    return text((await this.#asker.askOne(kind, fields, "okay")).result);
  }

  /** Open the conversation. It is the first request of a connection. @param {{client: string}} fields @returns {Promise<string>} the server's words */
  connect(fields) { return this.#words("connect", fields); }

  /** Log in to an account and enter one of its games. @param {{username: string, password: string}} fields @returns {Promise<string>} the server's words */
  login(fields) { return this.#words("login", fields); }

  /** Return the time left in the turn. @returns {Promise<{time?: number, reason?: number, turn?: number, turnName?: string, waiting?: number[], watchDelay?: number, presentTurn?: number}>} */
  getTimeRemaining() { return this.#one("getTimeRemaining", {}, "timeRemaining"); }

  /** List the numbers of the features that the server offers. @returns {Promise<{features?: number[]}>} */
  getFeatures() { return this.#one("getFeatures", {}, "features"); }

  /** Test the connection. @returns {Promise<string>} the server's words */
  ping() { return this.#words("ping", {}); }

  /** List the ids of the objects around a point. @param {{pos: Object, r: number|string}} fields @returns {Promise<{key?: string, remaining?: string, ids?: Object[], fromtime?: string}>} */
  getObjectIdsByPos(fields) { return this.#one("getObjectIdsByPos", fields, "objectIds"); }

  /** List the ids of the objects inside another one. @param {{id: number}} fields @returns {Promise<{key?: string, remaining?: string, ids?: Object[], fromtime?: string}>} */
  getObjectIdsByContainer(fields) { return this.#one("getObjectIdsByContainer", fields, "objectIds"); }

  /** Create an account. Log in afterwards. @param {{username: string, password: string, email?: string, comment?: string}} fields @returns {Promise<string>} the server's words */
  createAccount(fields) { return this.#words("createAccount", fields); }

  /** Finish the turn. @param {{turn?: number}} [fields] @returns {Promise<string>} the server's words */
  finishedTurn(fields) { return this.#words("finishedTurn", fields); }

  /** Select filters, which change the bytes of all later frames. @param {{filters?: number[]}} [fields] @returns {Promise<string>} the server's words */
  setFilters(fields) { return this.#words("setFilters", fields); }

  /** List the games on the server. TP03 has no such request. @returns {Promise<({name?: string, key?: string, tp?: string[], server?: string, serverType?: string, rule?: string, ruleVersion?: string, connections?: Object[], parameters?: Object[], mediaBase?: string, created?: string})[]>} */
  getGames() { return this.#all("getGames", {}, "game"); }

  /** Return the rules of a ruleset, or of this game, for players. Works before login, too. @param {{ruleset?: string}} [fields] @returns {Promise<{ruleset?: string, title?: string, version?: string, goal?: string, text?: string}>} */
  getRules(fields) { return this.#one("getRules", fields, "rules"); }

  /** List the orders that the player can give now. The answer comes in parts of a few milliseconds: if `following` is not 0, send it as the `start` of the next request. @param {{ids?: number[], start?: number, grouped?: boolean}} [fields] @returns {Promise<{orders?: Object[], following?: number, groups?: Object[]}>} */
  getLegalOrders(fields) { return this.#one("getLegalOrders", fields, "legalOrders"); }

  /** List the legal values of the next parameter of an order, in parts as for GetLegalOrders. @param {{id: number, otype: number, parameters?: Object[], start?: number}} fields @returns {Promise<{parameter?: number, ids?: number[], values?: Object[], free?: boolean, leftOut?: number, following?: number, refusal?: string, doubt?: string}>} */
  getLegalValues(fields) { return this.#one("getLegalValues", fields, "legalValues"); }

  /** Reopen a finished turn. Possible until the server computes it. @param {{turn?: number}} [fields] @returns {Promise<string>} the server's words */
  unfinishTurn(fields) { return this.#words("unfinishTurn", fields); }

  /** Return the summaries of the turns from `first` on: at most `amount` (64 at most), and fewer if they are long. Continue with the turn after the last one. A connection that shows an old turn gets none after that. @param {{first: number, amount?: number}} fields @returns {Promise<({turn?: number, title?: string, began?: string, reports?: Object[]})[]>} */
  getTurnSummaries(fields) { return this.#all("getTurnSummaries", { amount: 1, ...fields }, "turnSummary"); }

  /** Return the style of a ruleset, by `Game.rule`, or of this game. Works before login, too. A symbol may be shown only in its permitted form (`protocol/docs/requests.md`). @param {{ruleset?: string}} [fields] @returns {Promise<{ruleset?: string, version?: string, players?: string[], cells?: number, places?: string, boards?: Object[], hand?: string, objectTypes?: Object[], designs?: Object[], resources?: Object[], orders?: Object[]}>} */
  getAppearance(fields) { return this.#one("getAppearance", fields, "appearance"); }

  /** Return the scores of the turn that is shown, with actions and regions, as far as the player may know them. The actions are the player's own. @returns {Promise<{turn?: number, scores?: Object[], regions?: Object[], countsActions?: boolean, actionsUsed?: number, actions?: number}>} */
  getStanding() { return this.#one("getStanding", {}, "standing"); }

  /** Log in to an account without entering a game. EnterGame can follow. @param {{username: string, password: string}} fields @returns {Promise<{name?: string, login?: number}>} */
  loginAccount(fields) { return this.#one("loginAccount", fields, "account"); }

  /** Enter a game after LoginAccount. @param {{game: string, invitation?: string}} fields @returns {Promise<string>} the server's words */
  enterGame(fields) { return this.#words("enterGame", fields); }

  /** Keep this browser logged in. The browser exchanges the ticket for a cookie (`POST /login`). @param {{label: string, password?: string}} fields @returns {Promise<{ticket?: string, seconds?: number}>} */
  keepLogin(fields) { return this.#one("keepLogin", fields, "ticket"); }

  /** List the browsers in which the account stays logged in, the last used first. @returns {Promise<{logins?: Object[]}>} */
  getKeptLogins() { return this.#one("getKeptLogins", {}, "keptLogins"); }

  /** Log out a browser by its id in KeptLogins, or all of them (0). @param {{id?: number}} [fields] @returns {Promise<string>} the server's words */
  revokeLogin(fields) { return this.#words("revokeLogin", fields); }

  /** List the games in which the account has a seat, the newest first. @param {{start?: number}} [fields] @returns {Promise<{games?: Object[], following?: number}>} */
  getMyGames(fields) { return this.#one("getMyGames", fields, "myGames"); }

  /** Return the rulesets for new games, with seats and options. Works before login, too. @returns {Promise<({name?: string, title?: string, version?: string, goal?: string, seats?: number[], options?: Object[]})[]>} */
  getRulesets() { return this.#all("getRulesets", {}, "ruleset"); }

  /** Create a game. The account takes a seat in it, unless it is the master. Feature 1001 says that accounts may create games. @param {{name: string, ruleset: string, seats: number, bots?: number, clock?: string, invited?: boolean, options?: Object[], policy?: Object, press?: string, master?: boolean, anonymous?: boolean, watchDelay?: number, unwatched?: boolean, guests?: string}} fields @returns {Promise<string>} the server's words */
  createGame(fields) { return this.#words("createGame", fields); }

  /** Return a new invitation word for a game for invited players. It replaces the previous word. Only for the owner of the game. @param {{game: string}} fields @returns {Promise<{game?: string, word?: string}>} */
  getInvitation(fields) { return this.#one("getInvitation", fields, "invitation"); }

  /** Return the scores of all turns up to the one shown, as the player saw them then. When the game is over, they have everything that any player saw, and the final places. @returns {Promise<{turns?: number[], lines?: Object[], places?: Object[]}>} */
  getScores() { return this.#one("getScores", {}, "scores"); }

  /** Return the setup of a game by name, or of the current game. Works before login, too. @param {{game?: string}} [fields] @returns {Promise<{game?: string, ruleset?: string, title?: string, version?: string, seats?: number, bots?: number, clock?: string, invited?: boolean, options?: Object[], press?: string, anonymous?: boolean, watchDelay?: number, unwatched?: boolean, guests?: string}>} */
  getGameSetup(fields) { return this.#one("getGameSetup", fields, "gameSetup"); }

  /** Show another old turn of the same game on a connection that shows an old turn. @param {{turn: number}} fields @returns {Promise<{turn?: number, turnName?: string}>} */
  showTurn(fields) { return this.#one("showTurn", fields, "turnShown"); }

  /** Return the turn clock of a game by name, or of the current game, with the end of the turn and the time banks. Works before login, too. Times are in unix seconds. @param {{game?: string}} [fields] @returns {Promise<{game?: string, clock?: string, words?: string, due?: string, ends?: string, banks?: Object[], owned?: boolean, given?: number, most?: number, needsConsent?: boolean}>} */
  getClock(fields) { return this.#one("getClock", fields, "clock"); }

  /** Give the present turn of a game more time. Refused if `turn` is given and names another turn. Only for the owner of the game; notifies the players. @param {{game: string, seconds: number, turn?: number, takeBack?: boolean}} fields @returns {Promise<string>} the server's words */
  extendTurn(fields) { return this.#words("extendTurn", fields); }

  /** Change the turn clock of a game; its form is that of CreateGame. It counts from the next turn on, and never ends the present turn earlier. Only for the owner of the game; notifies the players. @param {{game: string, clock: string}} fields @returns {Promise<string>} the server's words */
  setClock(fields) { return this.#words("setClock", fields); }

  /** List the turns of a ruleset that can have their own clock. Works before login, too. @param {{ruleset: string}} fields @returns {Promise<{ruleset?: string, groups?: Object[]}>} */
  getClockGroups(fields) { return this.#one("getClockGroups", fields, "clockGroups"); }

  /** Return whether the server offers calendar links, and since when the account has one. The server cannot show the link again. @returns {Promise<{offered?: boolean, made?: string, path?: string, url?: string}>} */
  getCalendar() { return this.#one("getCalendar", {}, "calendar"); }

  /** Create a link by which calendar programs read when the account's turns are due. It replaces an earlier link. Only this answer contains it. @param {{password?: string}} [fields] @returns {Promise<{offered?: boolean, made?: string, path?: string, url?: string}>} */
  makeCalendar(fields) { return this.#one("makeCalendar", fields, "calendar"); }

  /** Revoke the calendar link of the account. @returns {Promise<string>} the server's words */
  revokeCalendar() { return this.#words("revokeCalendar", {}); }

  /** Return the notification settings of the account. @returns {Promise<{channels?: string[], addresses?: Object[], usual?: Object, wishes?: Object[], zone?: string, quietFrom?: number, quietTo?: number, digest?: number}>} */
  getNotices() { return this.#one("getNotices", {}, "notices"); }

  /** Add an address of a kind in `Notices.channels`. The server sends a code to it, and nothing else until VerifyNoticeAddress returns that code. `token` is for Matrix and push. Only this answer contains the secret of a webhook. With `resets`, this mail address may reset a forgotten password. `password` is that of the account: ten minutes after the login the server refuses without it (code 10), here and in the other requests that have it. @param {{kind: string, target: string, token?: string, resets?: boolean, password?: string}} fields @returns {Promise<{id?: number, kind?: string, target?: string, state?: string, problem?: string, secret?: string, resets?: boolean}>} */
  addNoticeAddress(fields) { return this.#one("addNoticeAddress", fields, "noticeAddress"); }

  /** Verify an address with the code that the server sent to it. Without a code, the server sends another one. @param {{id: number, code?: string}} fields @returns {Promise<string>} the server's words */
  verifyNoticeAddress(fields) { return this.#words("verifyNoticeAddress", fields); }

  /** Remove an address for notifications. @param {{id: number}} fields @returns {Promise<string>} the server's words */
  removeNoticeAddress(fields) { return this.#words("removeNoticeAddress", fields); }

  /** Choose the notifications of one game, or of all other games. @param {{wish: Object}} fields @returns {Promise<string>} the server's words */
  setNoticeWish(fields) { return this.#words("setNoticeWish", fields); }

  /** Set the time zone, the quiet hours and the time of the digest. Times are in minutes after midnight. @param {{zone: string, quietFrom?: number, quietTo?: number, digest?: number}} fields @returns {Promise<string>} the server's words */
  setNoticeTimes(fields) { return this.#words("setNoticeTimes", { digest: 480, ...fields }); }

  /** Return the key that a browser needs to subscribe to notifications. @returns {Promise<{key?: string}>} */
  getPushKey() { return this.#one("getPushKey", {}, "pushKey"); }

  /** Return the seats of a game by name, or of the current game. They have the players, missed turns, and the policy for absent players. Works before login, too. @param {{game?: string}} [fields] @returns {Promise<{game?: string, policy?: Object, words?: string, seats?: Object[], owned?: boolean, hasBot?: boolean, rollEnds?: string, needsConsent?: boolean}>} */
  getSeats(fields) { return this.#one("getSeats", fields, "seats"); }

  /** Change the policy of a game for absent players. Only for the owner of the game; notifies the players. @param {{game: string, policy: Object}} fields @returns {Promise<string>} the server's words */
  setSeatPolicy(fields) { return this.#words("setSeatPolicy", fields); }

  /** Report that an absent player is back, so that the game waits for the player again. @returns {Promise<string>} the server's words */
  sayHere() { return this.#words("sayHere", {}); }

  /** Leave the seat to the bot of the ruleset for some turns. The player gets reports of its orders. Any order ends it. @param {{turns: number, turn?: number}} fields @returns {Promise<string>} the server's words */
  setAutopilot(fields) { return this.#words("setAutopilot", fields); }

  /** List the open seats of running games: of absent and removed players, and of bots. Works before login, too. @param {{start?: number}} [fields] @returns {Promise<{seats?: Object[], following?: number}>} */
  getOpenSeats(fields) { return this.#one("getOpenSeats", fields, "openSeats"); }

  /** Take an open seat by the number of its player, with its orders and all that it knows. Then enter the game with EnterGame. @param {{game: string, player: number, invitation?: string}} fields @returns {Promise<string>} the server's words */
  takeSeat(fields) { return this.#words("takeSeat", fields); }

  /** Take a seat from its player, or offer a bot's seat. The seat is open then. Only for the owner of the game. @param {{game: string, player: number}} fields @returns {Promise<string>} the server's words */
  removePlayer(fields) { return this.#words("removePlayer", fields); }

  /** Return the proposals of the players of a game, with their votes, and those that the account can make. The game is given by name, or is the current game. Times are in unix seconds. @param {{game?: string}} [fields] @returns {Promise<{game?: string, proposals?: Object[], offers?: Object[], vacations?: Object[]}>} */
  getProposals(fields) { return this.#one("getProposals", fields, "proposals"); }

  /** Propose a change to the players of a game. It takes effect when all players who are present agree. The owner of the game can make some changes alone. @param {{game: string, kind: string, seconds?: number, clock?: string, policy?: Object, player?: number, reason?: string, turn?: number}} fields @returns {Promise<string>} the server's words */
  propose(fields) { return this.#words("propose", fields); }

  /** Agree to, refuse or withdraw a proposal ("agree", "refuse", "withdraw"). @param {{game: string, id: number, vote: string}} fields @returns {Promise<string>} the server's words */
  vote(fields) { return this.#words("vote", fields); }

  /** Return the account's vacations, and the time left this year. @returns {Promise<{vacations?: Object[], left?: number}>} */
  getVacations() { return this.#one("getVacations", {}, "vacations"); }

  /** Add a vacation of the account, in unix seconds (0: from now on). The clocks of some games wait for players on vacation. @param {{begins: number|string, ends: number|string}} fields @returns {Promise<string>} the server's words */
  addVacation(fields) { return this.#words("addVacation", fields); }

  /** End a vacation of the account now, or cancel one that has not begun. @param {{id: number}} fields @returns {Promise<string>} the server's words */
  endVacation(fields) { return this.#words("endVacation", fields); }

  /** Change the password of the account. All its other connections, kept logins and tokens end. Addresses, providers and calendar links end only if the request says so. @param {{old: string, new: string, dropAddresses?: boolean, dropProviders?: boolean, dropLinks?: boolean}} fields @returns {Promise<string>} the server's words */
  changePassword(fields) { return this.#words("changePassword", fields); }

  /** List the tokens of the account, the newest first. A program logs in with a token in place of the password, in any dialect. @returns {Promise<{tokens?: Object[]}>} */
  getTokens() { return this.#one("getTokens", {}, "tokens"); }

  /** Create a token for all games of the account, or for one. Only this answer contains its `secret`. @param {{label: string, game?: string, readOnly?: boolean, days?: number, password?: string}} fields @returns {Promise<{id?: number, label?: string, game?: string, readOnly?: boolean, created?: string, ends?: string, used?: string, secret?: string}>} */
  createToken(fields) { return this.#one("createToken", { days: 90, ...fields }, "token"); }

  /** Revoke a token by its id in Tokens. @param {{id: number}} fields @returns {Promise<string>} the server's words */
  revokeToken(fields) { return this.#words("revokeToken", fields); }

  /** Request a mail with a code that resets a forgotten password. Works before login. Feature 1002 says that the server sends such mails. @param {{account: string}} fields @returns {Promise<string>} the server's words */
  requestReset(fields) { return this.#words("requestReset", fields); }

  /** Set a new password with the code from the mail of RequestReset. @param {{code: string, password: string}} fields @returns {Promise<string>} the server's words */
  resetPassword(fields) { return this.#words("resetPassword", fields); }

  /** Run an operation of the command line `tpserver`, if the role of the account allows it. The answer has the lines that it prints. @param {{operation: string, arguments?: Object[]}} fields @returns {Promise<{lines?: string[]}>} */
  administer(fields) { return this.#one("administer", fields, "administered"); }

  /** List all accounts, or those whose names contain a text, if the role of the account allows it. @param {{start?: number, search?: string}} [fields] @returns {Promise<{accounts?: Object[], following?: number}>} */
  getAccounts(fields) { return this.#one("getAccounts", fields, "accounts"); }

  /** Return the account, its role, and the operations that the role allows. @returns {Promise<{name?: string, role?: string, operations?: string[], email?: string, emailResets?: boolean}>} */
  getOwnAccount() { return this.#one("getOwnAccount", {}, "ownAccount"); }

  /** Return the chat rules of a game, and the blocks and silence of the account. The game is given by name, or is the current game, if any. @param {{game?: string}} [fields] @returns {Promise<{game?: string, press?: string, words?: string, muted?: boolean, blocked?: Object[], silenced?: string, reason?: string, moderates?: boolean}>} */
  getTalk(fields) { return this.#one("getTalk", fields, "talk"); }

  /** Mute or unmute the messages to everybody in a game. The game is given by name, or is the current game. @param {{game?: string, muted: boolean}} fields @returns {Promise<string>} the server's words */
  setMute(fields) { return this.#words("setMute", fields); }

  /** Block or unblock the messages of an account, or of a player of a game. @param {{name?: string, player?: number, blocked: boolean, game?: string}} fields @returns {Promise<string>} the server's words */
  setBlock(fields) { return this.#words("setBlock", fields); }

  /** Silence an account for some days, as a moderator; 0 ends the silence. The account learns the reason. @param {{name: string, days: number, reason?: string}} fields @returns {Promise<string>} the server's words */
  setSilence(fields) { return this.#words("setSilence", fields); }

  /** Report a message on the player's own board to the moderators. `subject` is that of the message, so that no other one is reported. With `spectators`, when the game is over, the message is one on the spectators' board. @param {{slot: number, subject: string, reason: string, spectators?: boolean}} fields @returns {Promise<string>} the server's words */
  reportMessage(fields) { return this.#words("reportMessage", fields); }

  /** List the reported messages, as a moderator: the open reports, or the closed ones. @param {{start?: number, closed?: boolean}} [fields] @returns {Promise<{reports?: Object[], following?: number}>} */
  getMessageReports(fields) { return this.#one("getMessageReports", fields, "messageReports"); }

  /** Decide a report by its id, as a moderator: dismissed, warned or silenced for some days. The reporter gets a message. So does the author, if warned or silenced. @param {{id: number, decision: string, answer: string, days?: number}} fields @returns {Promise<string>} the server's words */
  closeReport(fields) { return this.#words("closeReport", fields); }

  /** Rename a game. Only for the owner of the game; notifies the players. @param {{game: string, name: string}} fields @returns {Promise<string>} the server's words */
  renameGame(fields) { return this.#words("renameGame", fields); }

  /** Close a game to newcomers, or open it to all. Only for the owner of the game; notifies the players. @param {{game: string, invited: boolean}} fields @returns {Promise<string>} the server's words */
  setJoin(fields) { return this.#words("setJoin", fields); }

  /** End a game without a result. Only for the owner of the game; notifies the players. @param {{game: string, reason: string}} fields @returns {Promise<string>} the server's words */
  abortGame(fields) { return this.#words("abortGame", fields); }

  /** Make another player the owner of a game, by the account's name or the player's number. Only for the owner of the game; notifies the players. @param {{game: string, account: string, player?: number}} fields @returns {Promise<string>} the server's words */
  handOverGame(fields) { return this.#words("handOverGame", fields); }

  /** Show a game to spectators some turns later, or not before its end. In a running game the delay can only grow, so that nothing hidden is shown earlier. Only for the owner of the game; notifies the players. @param {{game: string, watchDelay: number, unwatched?: boolean}} fields @returns {Promise<string>} the server's words */
  setWatchDelay(fields) { return this.#words("setWatchDelay", fields); }

  /** Log in as a guest without entering a game. The answer has the guest's name, and a secret in place of a password. Feature 1003 says that the server takes guests. @returns {Promise<{name?: string, secret?: string, days?: number}>} */
  playAsGuest() { return this.#one("playAsGuest", {}, "guest"); }

  /** Turn a guest into an account, with all its seats and games. All its other connections and logins end. @param {{username: string, password: string, email?: string}} fields @returns {Promise<{name?: string, login?: number}>} */
  becomeAccount(fields) { return this.#one("becomeAccount", fields, "account"); }

  /** List the OpenID Connect providers that log in to accounts here. Feature 1004 says that there are some. @returns {Promise<{providers?: Object[], hasPassword?: boolean}>} */
  getProviders() { return this.#one("getProviders", {}, "providers"); }

  /** Let a provider log in to the account from now on. The browser brings the ticket to the address of the sign-in. @param {{provider: string, password?: string}} fields @returns {Promise<{ticket?: string, seconds?: number}>} */
  connectProvider(fields) { return this.#one("connectProvider", fields, "ticket"); }

  /** Stop a provider from logging in to the account. @param {{provider: string}} fields @returns {Promise<string>} the server's words */
  disconnectProvider(fields) { return this.#words("disconnectProvider", fields); }

  /** Allow or forbid a verified mail address to reset a forgotten password. For the address of the account itself (0), it can only be forbidden. @param {{id: number, resets: boolean, password?: string}} fields @returns {Promise<string>} the server's words */
  setResetAddress(fields) { return this.#words("setResetAddress", fields); }
}

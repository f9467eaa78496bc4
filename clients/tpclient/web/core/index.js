// Everything that a client or a bot in JavaScript needs.
// It runs in browsers and in Node 20 or newer; clients/docs/javascript.md has an example and a table. The page imports the
// single modules, so it downloads only what it uses.
//
// Nothing here uses a page, a disk or another host. WebSocket and the clock are options of Visitor and Player, with
// those of the environment as defaults. Node has a WebSocket from version 22 on, from 20.10 on with
// --experimental-websocket. The class of the npm package `ws` works, too.

// A server, and a player there.
export { Conversation, PROTOCOL, REAL_TIME } from "./conversation.js";
export { ACCOUNTS, Visitor, webSocketUrl } from "./visitor.js";
export { GLANCE, PAUSES, Player } from "./player.js";
export { TURN, WATCH } from "./lobby.js";
export { byUrgency } from "./home.js";
export { accountsOf, administer, createToken, ownAccount, revokeToken, tokensOf } from "./account.js";
export { becomeAccount, playAsGuest } from "./guests.js";
export { connectTicket, disconnectProvider, providersOf } from "./providers.js";
export { closeReport, reportMessage, reportsOf, setBlock, setMute, setSilence, talkOf } from "./talk.js";

// What is seen.
export { EVERYTHING, PASSING, Universe } from "./universe.js";
export { NOBODY, REFERENCE, ROOT, SpaceObject } from "./objects.js";
export { colour, colourByPlayer, paths, pies, readMap, tooltip } from "./views.js";
export { difference, positionOf } from "./changes.js";
export { paragraphOf } from "./rules.js";
export { chartOf, figureNames, turningPoints } from "./scores.js";

// Orders, and what is legal now.
export { Legal } from "./legal.js";
export { APPEND, KIND, emptyValue, orderWords, problems, sameOrder, valueWords } from "./orders.js";
export { actors, ordersGiven } from "./guidance.js";

// Turns: their clock, whose they are, what happened in them, what they looked like.
export { turns } from "./turns.js";
export { NO_DEADLINE, REASON, secondsLeft } from "./clock.js";
export { isAwaited } from "./guidance.js";
export { Story } from "./story.js";
export { History } from "./history.js";
export { EVERYBODY } from "./board.js";

// What goes wrong.
export { BadArgument, ClientError, CODE, ConnectionLost, Refusal, ServerAway, UnexpectedAnswer } from "./errors.js";

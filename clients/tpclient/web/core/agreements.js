// Proposals of the players of a game, from GetProposals.

import { list, text, whole } from "./values.js";

/**
 * One proposal: `words` completes "proposes", `player` is 0 where whoever has made the game does not play, `state` is open,
 * agreed, refused, withdrawn or lapsed, `until` is in milliseconds since 1970; `agreeing`, `refusing` and `waiting` are players.
 * @typedef {{id: number, kind: string, words: string, player: number, state: string, until: number, agreeing: number[], refusing: number[], waiting: number[]}} Proposal
 * What can be proposed: `isAlone`, it comes into force at once; `problem` says why it cannot be now; `most` seconds can be asked for, 0 where none are; `isFinal`: nothing takes it back; `asks` is the field that it needs, "" if none.
 * @typedef {{kind: string, help: string, isAlone: boolean, problem: string, most: number, isFinal: boolean, asks: string}} Offer
 * @param {Object} body of a Proposals frame @returns {{game: string, proposals: Proposal[], offers: Offer[], vacations: {player: number, begins: number, ends: number}[]}}
 */
export function readProposals(body) {
  return {
    game: text(body.game),
    proposals: list(body.proposals).map((one) => ({
      id: whole(one.id),
      kind: text(one.kind),
      words: text(one.words),
      player: whole(one.player),
      state: text(one.state),
      until: 1000 * whole(one.until),
      agreeing: list(one.agreeing).map(whole),
      refusing: list(one.refusing).map(whole),
      waiting: list(one.waiting).map(whole),
    })),
    vacations: list(body.vacations).map((one) => ({ player: whole(one.player), begins: 1000 * whole(one.begins), ends: 1000 * whole(one.ends) })),
    offers: list(body.offers).map((one) => ({ kind: text(one.kind), help: text(one.help), isAlone: one.alone === true, problem: text(one.problem), most: whole(one.most), isFinal: one.final === true, asks: text(one.asks) })),
  };
}

/** Vacations of the account, in milliseconds since 1970; `left` seconds of this year. @param {Object} body of a Vacations frame @returns {{vacations: {id: number, begins: number, ends: number}[], left: number}} */
export const readVacations = (body) => ({
  vacations: list(body.vacations).map((one) => ({ id: whole(one.id), begins: 1000 * whole(one.begins), ends: 1000 * whole(one.ends) })),
  left: whole(body.left),
});

/** Which votes a player can give on a proposal. @param {Proposal} one @param {number} me @returns {("agree"|"refuse"|"withdraw")[]} */
export function votesOn(one, me) {
  if (one.state !== "open") return [];
  if (one.player === me) return ["withdraw"];
  return one.agreeing.includes(me) || one.refusing.includes(me) ? [] : ["agree", "refuse"];
}

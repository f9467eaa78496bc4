// The seats of a game, from GetSeats, and open seats.

import { list, text, whole } from "./values.js";

/**
 * A seat. `isAbsent`: the game does not wait for it; `botPlays`: the bot of the rules plays it now; `autopilot`: for so many
 * more turns, as its player wishes; `missed` turns in a row; `due` and `kept` turns here, `dueOfAll` and `keptOfAll` in all
 * games; `seeks`: somebody else can take it.
 * @typedef {{player: number, name: string, isBot: boolean, isAwaited: boolean, isAbsent: boolean, botPlays: boolean,
 *   autopilot: number, missed: number, due: number, kept: number, dueOfAll: number, keptOfAll: number, seeks: boolean, isHere: boolean}} Seat
 */

/**
 * What a game does about absent players: it does not wait for who has missed `absentAfter` turns in a row (0: for all), who
 * plays `absent` seats ("rules" or "bot"), whether they `seek` others, and how many percent of turns those keep who join; `rollCall` seconds they have to say that they are here.
 * A turn without a deadline stops waiting for who has done nothing for `silentDays`; 0: it does not.
 * @typedef {{absentAfter: number, absent: string, seeks: boolean, reliability: number, rollCall: number, silentDays: number}} SeatPolicy
 */

/** @param {Object} body of a Seats frame @returns {{game: string, words: string, policy: SeatPolicy, seats: Seat[], isOwned: boolean, needsConsent: boolean, rollEnds: number|null, hasBot: boolean}} `rollEnds`: until when players say that they are here, before the start, in milliseconds since 1970 */
export function readSeats(body) {
  const policy = body.policy ?? {};
  return {
    game: text(body.game),
    words: text(body.words),
    policy: { absentAfter: whole(policy.absentAfter), absent: text(policy.absent) || "rules", seeks: policy.seeks === true, reliability: whole(policy.reliability), rollCall: whole(policy.rollCall), silentDays: whole(policy.silentDays) },
    seats: list(body.seats).map((one) => ({
      player: whole(one.player),
      name: text(one.name),
      isBot: one.bot === true,
      isAwaited: one.awaited === true,
      isAbsent: one.absent === true,
      botPlays: one.botPlays === true,
      autopilot: whole(one.autopilot),
      missed: whole(one.missed),
      due: whole(one.due),
      kept: whole(one.kept),
      dueOfAll: whole(one.dueOfAll),
      keptOfAll: whole(one.keptOfAll),
      seeks: one.seeks === true,
      isHere: one.here === true,
    })),
    rollEnds: 1000 * whole(body.rollEnds) || null,
    isOwned: body.owned === true,
    needsConsent: body.needsConsent === true,
    hasBot: body.hasBot === true,
  };
}

/** The seats that seek somebody. @param {Object} body of an OpenSeats frame */
export const readOpenSeats = (body) =>
  list(body.seats).map((one) => ({ game: text(one.game), ruleset: text(one.ruleset), title: text(one.title) || text(one.ruleset), turn: whole(one.turn), player: whole(one.player), name: text(one.name), isBot: one.bot === true, reliability: whole(one.reliability) }));

const turns = (number) => `${number} ${number === 1 ? "turn" : "turns"}`;

/** What there is to say of a seat besides whether it is awaited, in words; may be empty. @param {Seat} seat */
export function seatWords(seat) {
  const away = seat.isAbsent && (seat.botPlays ? "absent, the bot plays" : "absent");
  return [
    seat.autopilot ? `left to the bot for ${turns(seat.autopilot)}` : away,
    seat.missed > 0 && (seat.missed > 1 ? `missed ${turns(seat.missed)} in a row` : "missed the last turn"),
    seat.seeks && "can be taken over",
    seat.isHere && "here",
  ].filter(Boolean).join(", ");
}

/** How reliable the player of a seat is, in words; "" for a bot and where nothing was due yet. @param {Seat} seat */
export function keptWords({ due, kept, dueOfAll, keptOfAll }) {
  if (!due && !dueOfAll) return "";
  return `kept ${kept} of ${due} here${dueOfAll > due ? `, ${keptOfAll} of ${dueOfAll} in all games` : ""}`;
}

// The turns of a game in sequence, for programs that play.
// The page does not need it, as it follows the player's events.

import { Refusal } from "./errors.js";
import { isAwaited } from "./guidance.js";

/**
 * Each turn in which the player is awaited, as soon as everything is up to date: `for await (const clock of turns(player))`.
 * A turn comes once, whether it is finished in the loop (`player.finishTurn()`) or not; after the connection was lost and
 * is back, one that is not finished comes again. The loop ends when the game is over, and after `player.leave()` in it.
 * Who watches gets no turn, and waits for the end.
 * @param {import("./player.js").Player} player who is logged in to a game
 * @returns {AsyncGenerator<import("./clock.js").Clock, void, void>} throws the ClientError that says why the connection
 *   does not come back, or why things could not be brought up to date
 */
export async function* turns(player) {
  let given = -1;
  let failure = null;
  let wake = () => {};
  const again = () => {
    given = -1;
  };
  const listen = {
    turn: again,
    back: again,
    lost({ detail }) {
      if (detail.seconds === null) failure = detail.error;
    },
    failed({ detail }) {
      // While a turn is being computed servers may refuse to tell anything; the next turn is told again.
      if (!(detail.error instanceof Refusal && detail.error.isTemporary)) failure = detail.error;
    },
    time() {},
    over() {},
  };
  const entries = Object.entries(listen).map(([name, note]) => [name, (event) => wake(note(event))]);
  for (const [name, call] of entries) player.addEventListener(name, call);
  try {
    for (;;) {
      const woken = new Promise((resolve) => {
        wake = resolve;
      });
      if (failure) throw failure;
      if (player.over || player.state === "left") return;
      const { clock, finishedTurn } = player;
      if (player.isUpToDate && clock.turn !== given && clock.turn !== finishedTurn && isAwaited(player)) {
        given = clock.turn;
        yield clock;
      } else await woken;
    }
  } finally {
    for (const [name, call] of entries) player.removeEventListener(name, call);
  }
}

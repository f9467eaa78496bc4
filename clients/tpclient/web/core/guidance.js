// Possible actions of a player, in the words of the game.
// Used for the guide of the first turn, and before a turn is finished.

/** A first turn comes this early, in turns of the game for each player: set-up and others' turns may come before it. */
const EARLY = 2;

/**
 * Pieces of mine that are called the same, and what some or all of them can be ordered now.
 * @typedef {{name: string, things: import("./objects.js").SpaceObject[],
 *   kinds: import("./universe.js").OrderKind[]}} Actor
 */

/** Who of mine can be given an order now. @param {import("./universe.js").Universe} universe @returns {Actor[]} */
export function actors(universe) {
  const found = new Map();
  for (const thing of universe.own()) {
    const kinds = universe.offers(thing);
    if (!kinds.length) continue;
    const name = universe.objectName(thing.id);
    if (!found.has(name)) found.set(name, { name, things: [], kinds: [] });
    const actor = found.get(name);
    actor.things.push(thing);
    actor.kinds.push(...kinds.filter((kind) => !actor.kinds.includes(kind)));
  }
  return [...found.values()];
}

/** How many orders I have given that are still to be carried out. @param {import("./player.js").Player} player @returns {number} */
export function ordersGiven(player) {
  return [...player.universe.queues.keys()].reduce((sum, queue) => sum + player.queued(queue).length, 0);
}

/** Whether the game waits for me now. @param {import("./player.js").Player} player @returns {boolean} */
export function isAwaited({ clock, over, universe, isWatching }) {
  return Boolean(clock) && !over && !clock.over && !clock.computing && !isWatching && clock.waiting.includes(universe.me);
}

/** Whether a turn is so early that it can be a player's first one. */
export const isEarly = (turn, players) => turn <= EARLY * Math.max(players, 1);

/**
 * An order and what it asks for: "Move Cube (cube, to)".
 * @param {import("./universe.js").OrderKind} kind @param {import("./universe.js").Universe} universe
 */
export function orderTitle(kind, universe) {
  const name = universe.orderName(kind);
  const wanted = kind.parameters.map((_, index) => universe.parameterName(kind, index)).filter(Boolean);
  return wanted.length ? `${name} (${wanted.join(", ")})` : name;
}

/**
 * What to finish the turn does.
 * @param {import("./player.js").Player} player @param {(names: string[]) => string} listed joins names
 * @param {boolean} waits whether the turn waits for its end, whoever is done
 */
export function finishWords({ clock, universe, listing }, listed, waits = false) {
  const others = clock.waiting.filter((id) => id !== universe.me).map((id) => universe.playerName(id));
  if (listing?.notes.includes("manual")) return "The turn ends when the operator of the server says so.";
  if (waits && clock.deadline !== null) return "The turn ends when its time is up, also if all are done before.";
  const late = clock.deadline === null ? "" : ", or when its time is up";
  if (others.length) return `The turn ends when ${listed(others)} ${others.length > 1 ? "have" : "has"} finished, too${late}.`;
  return "Nobody else is awaited: the turn ends at once.";
}

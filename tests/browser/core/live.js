// What the tests against the real server do in the page: players by name, and an order of any kind that is accepted.

import { Refusal } from "/core/errors.js";
import { History } from "/core/history.js";
import { emptyValue, KIND, orderWords, problems } from "/core/orders.js";
import { Player, webSocketUrl } from "/core/player.js";
import { readMap } from "/core/views.js";

const players = new Map();
const told = new Map();
const given = new Map();
const EVENTS = ["lost", "back", "turn", "over", "failed", "messages"];

const received = new Map();

/** A WebSocket class that counts the characters that come for somebody. */
function counting(user) {
  received.set(user, 0);
  return class extends WebSocket {
    constructor(...rest) {
      super(...rest);
      this.addEventListener("message", ({ data }) => received.set(user, received.get(user) + data.length));
    }
  };
}

/** How many characters the server has sent to somebody. */
export const charactersFor = (user) => received.get(user);

/** Log somebody in; events are kept by name. */
export async function login(user, game = "", password = "secret") {
  const player = new Player({ url: webSocketUrl(location), pauses: [50, 100, 200], glance: 0, WebSocket: counting(user) });
  players.set(user, player);
  told.set(user, []);
  for (const name of EVENTS) player.addEventListener(name, ({ detail }) => told.get(user).push({ name, ...facts(detail) }));
  const welcome = await player.login(user, password, game);
  return { welcome, objects: player.universe.objects.size, me: player.universe.me };
}

const facts = ({ clock, error, seconds, rebuilt, news, changes }) => ({
  changed: changes?.fetched?.objects?.length,
  turn: clock?.turn,
  error: error?.message,
  seconds,
  rebuilt,
  news: news?.map((message) => [message.from, message.subject]),
});

export const player = (user) => players.get(user);
export const events = (user, name) => told.get(user).filter((one) => one.name === name);

/** Wait for an event, unless it has come already. */
export function event(user, name, count = 1) {
  if (events(user, name).length >= count) return null;
  return new Promise((resolve) => {
    players.get(user).addEventListener(name, () => events(user, name).length >= count && resolve(null));
  });
}

/** How a refusal looks. */
export async function refusal(promise) {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, text: error.message, parameter: error.parameter };
  }
  return null;
}

/** Give the first order that the server takes, found by fields and choices alone; says what it is. */
export async function giveAny(user) {
  const { universe } = players.get(user);
  for (const thing of universe.own()) {
    for (const kind of universe.offers(thing)) {
      for await (const values of guesses(players.get(user), thing, kind)) {
        if (await refusal(players.get(user).probe(thing.queue, kind.id, values))) continue;
        let order;
        const giving = players.get(user).insertOrder(thing.queue, kind.id, values);
        if (await refusal(giving.then((made) => (order = made)))) continue; // a probe does not see the orders before it
        given.set(user, { queue: thing.queue, kind: kind.id, values });
        return { queue: thing.queue, slot: order.slot, kind: kind.id, words: orderWords(order, universe) };
      }
    }
  }
  return null;
}

/** What the server says to the order given last if its first parameter is another object. */
export function giveWrong(user, object) {
  const { queue, kind, values } = given.get(user);
  return refusal(players.get(user).replaceOrder(queue, 0, kind, [object, ...values.slice(1)]));
}

/** Values that have no local problem: each object that fits, the first choice of each list, the least number. */
async function* guesses(player, thing, kind) {
  const fields = await player.fields(thing.queue, kind.id, []);
  const targets = fields.find((field) => field.type === KIND.OBJECT);
  const objects = targets ? player.universe.where((one) => !targets.kinds.length || targets.kinds.includes(one.role)) : [null];
  for (const target of objects) {
    const values = fields.map((field) => {
      if (field.type === KIND.OBJECT) return target.id;
      if (field.type === KIND.RANGE) return field.min;
      if (field.type === KIND.PLAYER) return player.universe.me;
      if (field.options?.length) return new Map([[field.options[0].id, 1]]);
      return emptyValue(field.type) ?? 0;
    });
    if (!problems(fields, values, player.universe).length) yield values;
  }
}

/** Go through old turns on one connection: whether each is what a connection of its own shows, and how many things that are. */
export async function past(user, turns) {
  const things = ({ objects }) => [...objects.values()].map((thing) => ({ ...thing, modified: 0 })).sort((one, other) => one.id - other.id);
  const orders = (universe) => [...universe.orders].sort(([one], [other]) => one - other);
  const seen = ({ name, universe }) => JSON.stringify([name, things(universe), orders(universe), universe.standing]);
  const through = new History(player(user));
  const found = [];
  for (const turn of turns) {
    const [shown, alone] = [await through.open(turn), new History(player(user))];
    found.push([turn, seen(shown) === seen(await alone.open(turn)), shown.universe.objects.size]);
    alone.stop();
  }
  through.stop();
  return found;
}

/** What the map says, in a few numbers. */
export function sky(user) {
  const map = readMap(player(user).universe);
  return { boards: map.boards.length, icons: map.icons.size, largest: map.largest, smallest: map.smallest };
}

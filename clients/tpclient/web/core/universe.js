// A copy of everything the player sees. An update requests changes only.
// Each refresh first asks for ids and modification times, since the last refresh if there was one. Then it fetches
// objects that are new or newer than the copy. An object that no longer exists is among the ids listed since a time,
// and the server answers with Fail. When everything is listed, an object that is not listed no longer exists.

import { COORDINATES, PLAIN, capital, countWords, placeName } from "./appearance.js";
import { Refusal, UnexpectedAnswer } from "./errors.js";
import { NOBODY, ROOT, SpaceObject } from "./objects.js";
import { readOrder } from "./orders.js";
import { list, text, whole } from "./values.js";

/** So many ids are named in one request. */
const MOST_AT_ONCE = 5000;
/** Progress is told in such steps. */
const STEP = 100;
/** The role of a board, see objects.js. */
const GALAXY = 1;
/** The orders of so many queues are asked for at once. */
const MOST_QUEUES_AT_ONCE = 200;

/** @typedef {{name: string, type: number, description: string}} ParameterDescription */
/** @typedef {{id: number, name: string, race: string}} Player */
/**
 * @typedef {{id: number, name: string, plural: string, unit: string, units: string, description: string}} Resource
 * `units` is the unit's plural.
 */
/**
 * @typedef {{id: number, name: string, description: string, owner: number, feedback: string,
 *   properties: {id: number, value: string}[]}} Design
 */
/**
 * @typedef {{id: number, name: string, description: string, size: number,
 *   groups: {name: string, description: string, parameters: ParameterDescription[]}[]}} ObjectKind
 * `size` is how many parameters there are in all groups.
 */
/** @typedef {{id: number, name: string, description: string, parameters: ParameterDescription[]}} OrderKind */
/** @typedef {{id: number, count: number, most: number, kinds: number[]}} Queue `kinds` are the order kinds it takes. */
/** @typedef {{id: number, name: string, description: string, messages: number}} Board */

/**
 * What a refresh found: by table name, the ids that are new or changed, and those that have gone.
 * @typedef {{fetched: Object<string, number[]>, gone: Object<string, number[]>, any: boolean}} Changes
 */

const TABLES = [
  ["objectKinds", "getObjectDescIds", "getObjectDesc", "objectDesc", objectKind],
  ["orderKinds", "getOrderDescIds", "getOrderDesc", "orderDesc", orderKind],
  ["resources", "getResourceIds", "getResource", "resource", resource],
  ["designs", "getDesignIds", "getDesign", "design", design],
  ["players", "getPlayerIds", "getPlayer", "player", player],
  ["boards", "getBoardIds", "getBoards", "board", board],
  ["objects", "getObjectIds", "getObjectsById", "object", (body, self) => new SpaceObject(body, self.objectKinds.get(whole(body.otype)))],
  ["queues", "getOrderQueueIds", "getOrderQueue", "orderQueue", queue],
].map(([name, listedBy, fetchedBy, answer, read]) => ({ name, listedBy, fetchedBy, answer, read }));

/** All tables, for the first refresh. */
export const EVERYTHING = Object.freeze(TABLES.map((table) => table.name));
/** What may change in any turn of any game. */
export const PASSING = Object.freeze(["players", "boards", "objects", "queues"]);

/** The copy: a Map by id for each table, filled by `refresh`. */
export class Universe {
  /** This player's id; NOBODY before the first refresh. @type {number} */
  me = NOBODY;
  /** @type {Map<number, SpaceObject>} */
  objects = new Map();
  /** Our order queues. @type {Map<number, Queue>} */
  queues = new Map();
  /** The orders in each of our queues, by queue id, as confirmed. @type {Map<number, import("./orders.js").Order[]>} */
  orders = new Map();
  /** @type {Map<number, ObjectKind>} */
  objectKinds = new Map();
  /** @type {Map<number, OrderKind>} */
  orderKinds = new Map();
  /** @type {Map<number, Resource>} */
  resources = new Map();
  /** @type {Map<number, Design>} */
  designs = new Map();
  /** @type {Map<number, Player>} */
  players = new Map();
  /** @type {Map<number, Board>} */
  boards = new Map();

  /** What the game looks like. @type {import("./appearance.js").Appearance} */
  appearance = PLAIN;
  /** How all stand; null as long as that is not known. @type {import("./appearance.js").Standing|null} */
  standing = null;
  /** Whether objects are called as the game stores them, and not in its words for people. */
  isNamedAsStored = false;

  #listings = new Map(TABLES.map((table) => [table.name, { times: new Map(), since: -1 }]));

  // --- keeping up to date

  /**
   * Bring tables up to date. Two refreshes must not run at once (Player sees to that).
   * @param {import("./conversation.js").Conversation} conversation
   * @param {{tables?: Iterable<string>, onProgress?: (done: number, total: number) => void}} options
   * @returns {Promise<Changes>} rejects with a Refusal if a whole list is refused, as before login
   */
  async refresh(conversation, { tables = EVERYTHING, onProgress = undefined } = {}) {
    const wanted = new Set(tables);
    const pages = TABLES.filter((table) => wanted.has(table.name));
    const [listed] = await Promise.all([
      Promise.all(pages.map((table) => this.#list(conversation, table))),
      this.me === NOBODY ? this.#learnMe(conversation) : null,
    ]);
    const changes = { fetched: {}, gone: {}, any: false };
    const batches = listed.flatMap((page) => this.#batches(page, changes));
    const progress = counter(batches.reduce((sum, batch) => sum + batch.ids.length, 0), onProgress);
    const answers = await Promise.all(
      batches.map(({ page, ids }) => conversation.askEach(page.table.fetchedBy, { ids }, { each: progress() })),
    );
    batches.forEach((batch, at) => this.#take(batch, answers[at], changes));
    for (const page of listed) this.#listings.get(page.table.name).since = page.since;
    if (wanted.has("queues")) await this.#readOrders(conversation, changes.fetched.queues ?? []);
    this.#dropForeignQueues(changes);
    changes.any = [changes.fetched, changes.gone].some((found) => Object.values(found).some((ids) => ids.length));
    return changes;
  }

  /** Fetch one order queue and its orders again, as after an order was given. Rejects with a Refusal. */
  async refreshQueue(conversation, id) {
    const frames = await conversation.ask("getOrderQueue", { ids: [id] });
    this.queues.set(id, queue(frames[0].body));
    await this.#readOrders(conversation, [id]);
  }

  async #list(conversation, table) {
    const { since } = this.#listings.get(table.name);
    const page = { table, partial: since !== -1, times: new Map(), since: -1 };
    let key = -1;
    for (let remaining = 1; remaining; ) {
      const body = await conversation.askOne(
        table.listedBy,
        { key: String(key), start: page.times.size, amount: "-1", fromtime: String(page.partial ? since : -1) },
        ANSWERED_BY[table.listedBy],
      );
      const ids = list(body.ids);
      remaining = whole(body.remaining);
      if (remaining && !ids.length) throw new UnexpectedAnswer(`The server answered ${table.listedBy} without ids though there are more.`);
      if (key === -1) page.since = whole(body.fromtime);
      key = whole(body.key);
      for (const one of ids) page.times.set(whole(one.id), whole(one.modtime));
    }
    return page;
  }

  async #learnMe(conversation) {
    const me = player(await conversation.askOne("getPlayer", { ids: [0] }, "player"));
    this.me = me.id;
    this.players.set(me.id, me);
  }

  /** What of a page has to be fetched, in batches; what is listed no more is dropped. */
  #batches(page, changes) {
    const known = this.#listings.get(page.table.name).times;
    const newer = [...page.times].filter(([id, time]) => (known.get(id) ?? -1) < time).map(([id]) => id);
    if (!page.partial) this.#drop(page.table.name, [...known.keys()].filter((id) => !page.times.has(id)), changes);
    const batches = [];
    for (let at = 0; at < newer.length; at += MOST_AT_ONCE) batches.push({ page, ids: newer.slice(at, at + MOST_AT_ONCE) });
    return batches;
  }

  #take({ page, ids }, frames, changes) {
    const { table, times } = page;
    if (frames.length === 1 && ids.length !== 1 && frames[0] instanceof Refusal) throw frames[0];
    if (frames.length !== ids.length) {
      throw new UnexpectedAnswer(`The server answered ${table.fetchedBy} for ${ids.length} ids with ${frames.length} frames.`);
    }
    const known = this.#listings.get(table.name).times;
    const gone = [];
    const fetched = [];
    ids.forEach((id, at) => {
      const frame = frames[at];
      if (frame instanceof Refusal) {
        if (!frame.isGone) throw frame;
        gone.push(id);
      } else if (frame.kind !== table.answer) {
        throw new UnexpectedAnswer(`The server answered ${table.fetchedBy} with ${frame.kind}.`);
      } else {
        this[table.name].set(id, this.#read(table, frame.body));
        known.set(id, times.get(id));
        fetched.push(id);
      }
    });
    changes.fetched[table.name] = [...(changes.fetched[table.name] ?? []), ...fetched];
    this.#drop(table.name, gone, changes);
  }

  #read(table, body) {
    try {
      return table.read(body, this);
    } catch (error) {
      throw new UnexpectedAnswer(`An answer to ${table.fetchedBy} cannot be read: ${error.message}`);
    }
  }

  #drop(name, ids, changes) {
    const known = this.#listings.get(name).times;
    const gone = ids.filter((id) => this[name].delete(id));
    for (const id of ids) known.delete(id);
    if (gone.length) changes.gone[name] = [...(changes.gone[name] ?? []), ...gone];
  }

  /** A queue whose object has gone or changed hands is listed by nobody; the objects tell. */
  #dropForeignQueues(changes) {
    const ours = new Set([...this.objects.values()].map((thing) => thing.queue));
    this.#drop("queues", [...this.queues.keys()].filter((id) => !ours.has(id)), changes);
    for (const id of this.orders.keys()) if (!this.queues.has(id)) this.orders.delete(id);
  }

  async #readOrders(conversation, ids) {
    const known = ids.filter((id) => this.queues.has(id));
    for (let at = 0; at < known.length; at += MOST_QUEUES_AT_ONCE) {
      await Promise.all(known.slice(at, at + MOST_QUEUES_AT_ONCE).map((id) => this.#readQueue(conversation, id)));
    }
  }

  async #readQueue(conversation, id) {
    const slots = Array.from({ length: this.queues.get(id).count }, (_, slot) => slot);
    const frames = slots.length ? await conversation.askEach("getOrder", { id, slots }) : [];
    // A slot can be empty by now: the queue was carried out meanwhile.
    this.orders.set(id, frames.filter((frame) => frame.kind === "order").map((frame) => readOrder(frame.body)));
  }

  /** The same as it is now: what is refreshed here later changes nothing there. That one is to be looked at only. */
  copy() {
    const copy = Object.assign(new Universe(), this);
    for (const table of ["players", "boards", "objects", "queues", "orders"]) copy[table] = new Map(this[table]);
    return copy;
  }

  // --- looking

  /** The turn number that the root object shows: the first number of its group "Informational". */
  get turn() {
    return this.objects.get(ROOT)?.integers.find((one) => one.group === "Informational")?.value;
  }

  /** All objects that pass a test, by rising id. @returns {SpaceObject[]} */
  where(test) {
    return [...this.objects.values()].filter(test).sort((one, other) => one.id - other.id);
  }

  /** This player's objects, by rising id. */
  own() {
    return this.where((thing) => thing.owner === this.me && this.me !== NOBODY);
  }

  /** What an object contains directly and we can see, in its own order. @returns {SpaceObject[]} */
  children(id) {
    return (this.objects.get(id)?.contains ?? []).map((child) => this.objects.get(child)).filter(Boolean);
  }

  /** What an object contains at any depth, each before its own contents. @returns {SpaceObject[]} */
  inside(id) {
    const found = new Map();
    const look = (number) => {
      for (const child of this.children(number)) {
        if (child.id === id || found.has(child.id)) continue;
        found.set(child.id, child);
        look(child.id);
      }
    };
    look(id);
    return [...found.values()];
  }

  /** What contains an object: its parent first, the root last. @returns {SpaceObject[]} */
  ancestors(id) {
    const found = [];
    const seen = new Set([id]);
    let thing = this.objects.get(id);
    while (thing && !seen.has(thing.parent)) {
      seen.add(thing.parent);
      thing = this.objects.get(thing.parent);
      if (thing) found.push(thing);
    }
    return found;
  }

  /** The order queue of an object, if it has one that is ours. @returns {Queue|undefined} */
  queueOf(thing) {
    return thing.queue ? this.queues.get(thing.queue) : undefined;
  }

  /** The object that carries an order queue. @returns {SpaceObject|undefined} */
  carrier(queueId) {
    const same = this.objects.get(queueId);
    if (same?.queue === queueId) return same;
    return [...this.objects.values()].find((thing) => thing.queue === queueId);
  }

  /** The order kinds that an object takes now, by rising id. @returns {OrderKind[]} */
  offers(thing) {
    const kinds = this.queueOf(thing)?.kinds ?? [];
    return [...kinds].sort((one, other) => one - other).map((id) => this.orderKinds.get(id)).filter(Boolean);
  }

  /** A player's name for people. @returns {string} */
  playerName(id) {
    if (id === NOBODY) return "nobody";
    return this.players.get(id)?.name || `player ${id}`;
  }

  // --- what people call things: in the words of the game where it has any, else by the names of the protocol

  /** The words that are used: none where objects are called as the game stores them. @returns {import("./appearance.js").Appearance} */
  get words() {
    return this.isNamedAsStored ? PLAIN : this.appearance;
  }

  /** An object's name for people, as it stands by itself. @returns {string} */
  objectName(id) {
    return this.#called(id, capital);
  }

  /** The same within a sentence. @returns {string} */
  objectPhrase(id) {
    return this.#called(id, (words) => words);
  }

  #called(id, begun) {
    const thing = this.objects.get(id);
    if (!thing) return `object ${id}`;
    const { words } = this;
    const holder = this.#holderOf(thing);
    if (holder !== NOBODY) return holder === this.me ? begun(`your ${words.hand}`) : `${this.playerName(holder)}'s ${words.hand}`;
    if (words.kinds.get(thing.role)?.isNameless) return begun(this.#byWords(thing));
    const name = this.#isPlace(thing) ? placeName(words, thing.name, this.objects.get(thing.parent).name) : thing.name;
    return name || `${this.kindName(thing.role) || thing.kind || "object"} ${id}`;
  }

  /** What has no name of its own: a piece by its design, else its kind, with its place if it lies on one. */
  #byWords(thing) {
    const ships = this.shipWords(thing);
    if (ships) return ships;
    const kind = this.kindName(thing.role);
    return this.objects.get(thing.parent)?.ships.size === 0 && thing.parent !== ROOT && thing.parent !== thing.id ? `${kind} of ${this.objectPhrase(thing.parent)}` : kind;
  }

  /** What a piece consists of: "merchant leader", "5 black ants"; "" if it is none. @returns {string} */
  shipWords(thing) {
    return [...thing.ships].map(([id, number]) => {
      const look = this.words.designs.get(id);
      if (look?.words && number !== 1) return countWords(look, number);
      const name = this.designName(id);
      return number === 1 || !name ? name : `${number} × ${name}`;
    }).filter(Boolean).join(", ");
  }

  /** The name of a kind of object, "" if it was never described. @param {number} role its id @returns {string} */
  kindName(role) {
    return this.words.kinds.get(role)?.words || this.objectKinds.get(role)?.name || "";
  }

  /** A design's name for so many pieces, "" if it was never described. @returns {string} */
  designName(id, amount = 1) {
    const look = this.words.designs.get(id);
    return (amount !== 1 && look?.each) || look?.words || this.designs.get(id)?.name || "";
  }

  /** What orders of a kind are called, as it stands on a button. @param {OrderKind} kind @returns {string} */
  orderName(kind) {
    return this.words.orders.get(kind.id)?.name || kind.name;
  }

  /** What a parameter of an order is called, as it stands by itself. @param {OrderKind} kind @param {number} index @returns {string} */
  parameterName(kind, index) {
    return capital(this.words.orders.get(kind.id)?.parameters[index] ?? "") || kind.parameters[index].name;
  }

  /** Whose hand a place is: it is on no board, and what is there belongs to one player; NOBODY if it is no hand. */
  #holderOf(thing) {
    if (!this.words.hand || thing.ships.size) return NOBODY;
    const place = this.#isPlace(thing) ? thing : this.objects.get(thing.parent);
    if (!place || !this.#isPlace(place) || COORDINATES.test(place.name)) return NOBODY;
    if (place !== thing) return thing.owner;
    return this.children(place.id).find((one) => one.owner !== NOBODY && !one.ships.size)?.owner ?? NOBODY;
  }

  /** Whether an object stands right on a board. */
  #isPlace(thing) {
    return this.objects.get(thing.parent)?.role === GALAXY && thing.role !== GALAXY;
  }

  /** A resource's name for an amount of it. @returns {string} */
  resourceName(id, amount = 1) {
    const look = this.words.resources.get(id);
    if (look?.words) return (amount !== 1 && look.each) || look.words;
    const one = this.resources.get(id);
    return (amount === 1 ? one?.name : one?.plural || one?.name) || `resource ${id}`;
  }

  /** So much of a resource: "3 hit points", "caught in a web". @returns {string} */
  amountWords(id, amount) {
    const look = this.words.resources.get(id);
    return look?.words ? countWords(look, amount) : `${amount} ${this.resourceName(id, amount)}`;
  }
}

const ANSWERED_BY = {
  getObjectDescIds: "objectDescIds",
  getOrderDescIds: "orderDescIds",
  getResourceIds: "resourceIds",
  getDesignIds: "designIds",
  getPlayerIds: "playerIds",
  getBoardIds: "boardIds",
  getObjectIds: "objectIds",
  getOrderQueueIds: "orderQueueIds",
};

/** Adds up how many frames of several answers have come; reports the beginning and the end too. */
function counter(total, onProgress) {
  let done = 0;
  onProgress?.(0, total);
  return () => {
    let before = 0;
    return (count) => {
      done += count - before;
      before = count;
      if (done === total || done % STEP === 0) onProgress?.(done, total);
    };
  };
}

const named = (body) => ({ id: whole(body.id), name: text(body.name), description: text(body.description) });

function parameters(value) {
  return list(value).map((one) => ({ name: text(one.name), type: whole(one.type), description: text(one.description) }));
}

function objectKind(body) {
  const groups = list(body.propertyGroups).map((group) => ({ ...named(group), parameters: parameters(group.parameters) }));
  return { ...named(body), groups, size: groups.reduce((sum, group) => sum + group.parameters.length, 0) };
}

function orderKind(body) {
  return { ...named(body), parameters: parameters(body.parameters) };
}

function resource(body) {
  return {
    id: whole(body.id),
    name: text(body.singularName),
    plural: text(body.pluralName),
    unit: text(body.singularUnit),
    units: text(body.pluralUnit),
    description: text(body.description),
  };
}

function design(body) {
  const properties = list(body.properties).map((one) => ({ id: whole(one.id), value: text(one.value) }));
  return { ...named(body), owner: Math.max(whole(body.owner), NOBODY), feedback: text(body.feedback), properties };
}

function player(body) {
  return { id: whole(body.id), name: text(body.name), race: text(body.race) };
}

function board(body) {
  return { ...named(body), messages: whole(body.messages) };
}

function queue(body) {
  const kinds = list(body.orderTypes).map(whole);
  return { id: whole(body.id), count: whole(body.numOrders), most: whole(body.maxSlots), kinds };
}

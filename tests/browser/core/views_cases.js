// What the core draws for a case of tests/clients/views_cases.json, in the form of its `expected`.

import { Universe } from "/core/universe.js";
import { readOrder } from "/core/orders.js";
import { colour, colourByPlayer, OTHER, paths, pies, readMap, tooltip } from "/core/views.js";

export function drawn(row) {
  const universe = universeOf(row);
  const map = readMap(universe);
  const names = new Map(row.resources.map((one) => [one.id, one.name]));
  const dots = [...map.icons].map(([id, icon]) => [
    id,
    { owners: icon.owners, colour: colour(icon, universe.me), colour_by_player: colourByPlayer(icon) },
  ]);
  const drawnPies = pies(map, row.ticked && new Set(row.ticked)).map((pie) => [
    pie.icon.thing.id,
    {
      amount: pie.icon.amount,
      diameter: pie.diameter,
      slices: pie.slices.map((one) => [one.resource === null ? OTHER : names.get(one.resource), one.amount, one.share]),
      tooltip: tooltip(pie.icon, universe.resources),
    },
  ]);
  return {
    boards: map.boards.map((board) => ({ id: board.thing.id, icons: board.icons.map((icon) => icon.thing.id) })),
    dots: Object.fromEntries(dots),
    paths: paths(map, universe).map((path) => ({ object: path.thing.id, stops: path.stops })),
    pies: Object.fromEntries(drawnPies),
  };
}

function universeOf(row) {
  const universe = new Universe();
  universe.me = row.me;
  for (const one of row.resources) universe.resources.set(one.id, { ...one, units: one.unit_plural });
  for (const one of row.objects) {
    const resources = one.resources.map(([id, stored, minable, unavailable]) => [
      id,
      { stored, minable, unavailable, total: stored + minable + unavailable },
    ]);
    universe.objects.set(one.id, { ...one, queue: one.queue ?? 0, resources: new Map(resources) });
  }
  for (const { queue, slot, parameters } of row.orders) {
    const order = readOrder({ id: queue, slot: String(slot), parameters: parameters.map(parameter) });
    universe.orders.set(queue, [...(universe.orders.get(queue) ?? []), order]);
  }
  return universe;
}

function parameter({ type, id, position }) {
  const name = type.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  const place = position && { x: String(position[0]), y: String(position[1]), z: String(position[2]) };
  if (name === "relativeCoordinates") return { [name]: { objectId: id, pos: place } };
  return { [name]: { ...place, ...(id === undefined ? {} : { objectId: id }) } };
}

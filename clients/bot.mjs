import { ClientError, Legal, orderWords, Player, turns } from "./tpclient/web/core/index.js";

const [url, user, password, game] = process.argv.slice(2);
const player = new Player({ url });
const legal = new Legal(player);
const any = (choices) => choices[Math.floor(Math.random() * choices.length)];

async function give({ on, kind, named }) {
  const values = named ? [named] : [];
  for (const { name } of player.universe.orderKinds.get(kind).parameters.slice(values.length)) {
    const next = await legal.values(on, kind, values);
    if (!next?.values.length) throw new ClientError(`nothing was found for ${name}`);
    values.push(any(next.values));
  }
  return orderWords(await player.insertOrder(player.universe.objects.get(on).queue, kind, values), player.universe);
}

await player.login(user, password, game);
for await (const { turn } of turns(player)) {
  const order = any(await legal.now());
  const words = order ? await give(order).catch(String) : "nothing can be ordered";
  console.log(`turn ${turn}: ${words}; ${await player.finishTurn().catch(String)}`);
}
player.leave();

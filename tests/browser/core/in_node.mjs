// Runs in Node what the test of the core runs in a page otherwise. In: the files of tests, and the cases of the views on
// standard input. Out: one JSON document with what each test found wrong, "" for nothing, and what was drawn for each case.

import { register } from "node:module";
import { text } from "node:stream/consumers";

register("./node_paths.mjs", import.meta.url);

const { names, run } = await import("./checks.js");
const found = {};
for (const file of process.argv.slice(2)) {
  await import(`./${file}`);
  for (const name of names()) {
    if (!(name in found)) found[name] = await run(name).then(() => "", (error) => error.stack);
  }
}
const { drawn } = await import("./views_cases.js");
const cases = JSON.parse(await text(process.stdin)).map((row) => [row.name, drawn(row)]);
process.stdout.write(JSON.stringify({ tests: found, drawn: Object.fromEntries(cases) }));

// Regular expressions of the page, for tests/test_patterns.py: those that scripts make of text when they are loaded, and
// those that take too long for texts whose parts come on standard input.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const LONGEST = 500; // milliseconds of the clock at first; a busy machine gets more
const asked = JSON.parse(readFileSync(0, "utf8"));

/** Return script, source and flags of the patterns that scripts make while they are loaded. */
async function constructed(scripts) {
  const found = [];
  const Plain = globalThis.RegExp;
  for (const script of scripts) {
    globalThis.RegExp = class extends Plain {
      constructor(...given) {
        super(...given);
        found.push([script, this.source, this.flags]);
      }
    };
    await import(pathToFileURL(script));
  }
  globalThis.RegExp = Plain;
  return found;
}

/** Say whether a pattern uses more than the milliseconds of the processor for one of the texts. */
function isSlow(source, flags, texts, milliseconds) {
  const context = vm.createContext({ text: "", source, flags: /[gy]/.test(flags) ? flags : `${flags}g` });
  return texts.some(([start, unit, times, end]) => {
    context.text = start + unit.repeat(times) + end;
    for (let timeout = LONGEST; ; timeout *= 2) {
      const begun = process.cpuUsage();
      let ends = true;
      try {
        vm.runInContext("text.replace(new RegExp(source, flags), '')", context, { timeout });
      } catch (error) {
        if (error.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
        ends = false;
      }
      const { user, system } = process.cpuUsage(begun);
      if ((user + system) / 1000 > milliseconds) return true;
      if (ends) return false;
    }
  });
}

const answer = asked.making
  ? await constructed(asked.making)
  : asked.patterns.filter(([source, flags, texts]) => isSlow(source, flags, texts, asked.milliseconds)).map(([source]) => source);
process.stdout.write(JSON.stringify(answer));

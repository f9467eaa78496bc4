// Tests in the page: each has a name by which it is run from outside.

const tests = new Map();

export function test(name, work) {
  tests.set(name, work);
}

/** The names of all tests so far. */
export const names = () => [...tests.keys()];

/** Run one test; throws what it finds wrong. */
export async function run(name) {
  const work = tests.get(name);
  if (!work) throw new Error(`There is no test ${name}.`);
  await work();
}

const shown = (value) =>
  JSON.stringify(value, (_, part) => {
    if (part instanceof Map) return { map: [...part] };
    if (part instanceof Set) return { set: [...part] };
    if (typeof part === "bigint") return `${part}n`;
    return part === undefined ? "undefined" : part;
  });

export function equal(actual, expected, what = "value") {
  if (shown(actual) !== shown(expected)) throw new Error(`${what}: ${shown(actual)} is not ${shown(expected)}`);
}

export function holds(condition, what) {
  if (!condition) throw new Error(`does not hold: ${what}`);
}

/** What a promise rejects with, which has to be of a class and have words in its sentence. */
export async function rejects(promise, type, words = "") {
  let result;
  try {
    result = await promise;
  } catch (error) {
    if (!(error instanceof type)) throw new Error(`rejected with ${error?.stack ?? error}, not with ${type.name}`);
    holds(error.message.includes(words), `"${error.message}" has "${words}"`);
    return error;
  }
  throw new Error(`was not rejected, but gave ${shown(result)}`);
}

/** As rejects, for a call. */
export function throws(call, type, words = "") {
  return rejects((async () => call())(), type, words);
}

/** Let everything happen that can happen now. */
export function settled() {
  return new Promise((resolve) => setTimeout(resolve));
}

// Canonical JSON of Protocol Buffers.
// Fields with their default value are absent, and 64-bit integers are strings.

/**
 * A whole number of a message. Those beyond 2^53 come back as BigInt, all others as Number.
 * @param {number|string|undefined} value
 * @returns {number|bigint}
 */
export function whole(value) {
  if (value === undefined || value === null || value === "") return 0;
  if (typeof value === "number") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

/** A text of a message; absent is empty. @returns {string} */
export const text = (value) => (typeof value === "string" ? value : "");

/** A repeated field of a message; absent is empty. @returns {any[]} */
export const list = (value) => (Array.isArray(value) ? value : []);

/** A vector as [x, y, z]. @returns {(number|bigint)[]} */
export const vector = (value) => [whole(value?.x), whole(value?.y), whole(value?.z)];

/** References as {type, id}. @returns {{type: number, id: number}[]} */
export const references = (value) => list(value).map((one) => ({ type: whole(one.type), id: whole(one.id) }));

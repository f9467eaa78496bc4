// A small part of Markdown as a tree.
// It has headings of three levels, paragraphs, lists, **bold**, *italic* and `code`. All else stays text. The work
// grows only with the length of the text, whatever its content.

/** Characters that are read; what follows is left out. */
export const LONGEST_TEXT = 65_536;
/** Blocks and items of lists that are read, so that a hostile text does not become a hundred thousand elements. */
export const MOST_BLOCKS = 3000;
/** Marked pieces in one paragraph, heading or item; the rest of it stays as it was written. */
export const MOST_MARKS = 300;

/**
 * A piece of a line: text, or marked pieces. `code` holds text only.
 * @typedef {string|{mark: "strong"|"em"|"code", parts: Part[]}} Part
 * @typedef {{kind: "heading", level: 1|2|3, text: string, parts: Part[]}} Heading `text` is without marks
 * @typedef {{kind: "paragraph", parts: Part[]}} Paragraph
 * @typedef {{kind: "list", ordered: boolean, start: number, items: Part[][]}} List
 * @typedef {Heading|Paragraph|List} Block
 */

const HEADING = /^(#{1,3}) +(\S.*)$/;
const ITEM = /^(?:-|(\d{1,6})\.) +(\S.*)$/;

/** @param {string} text @returns {Block[]} */
export function readMarkdown(text) {
  const blocks = [];
  let open = null; // the lines that the next line may go on: {lines, put}
  let count = 0;
  const close = () => {
    open?.put(inline(open.lines.join(" ")));
    open = null;
  };
  for (const raw of text.slice(0, LONGEST_TEXT).split("\n")) {
    const line = raw.trimEnd();
    const [, level, heading] = HEADING.exec(line) ?? [];
    const [item, number, words] = ITEM.exec(line) ?? [];
    if (!line) close();
    else if (open && !level && !item) open.lines.push(line.trimStart());
    else {
      close();
      if ((count += 1) > MOST_BLOCKS) return blocks;
      if (level) {
        const parts = inline(heading.trim());
        blocks.push({ kind: "heading", level: level.length, text: plainText(parts), parts });
      } else if (item) {
        const list = listFor(blocks, number);
        open = { lines: [words], put: (parts) => list.items.push(parts) };
      } else open = { lines: [line.trimStart()], put: (parts) => blocks.push({ kind: "paragraph", parts }) };
    }
  }
  close();
  return blocks;
}

/** The list that an item goes on, or a new one. An empty line between two items makes no second list. */
function listFor(blocks, number) {
  const ordered = number !== undefined;
  const last = blocks.at(-1);
  if (last?.kind === "list" && last.ordered === ordered) return last;
  const list = { kind: "list", ordered, start: ordered ? Number(number) : 1, items: [] };
  blocks.push(list);
  return list;
}

const TOKEN = /\x60[^\x60]+\x60|\*\*|\*/g;

/** A line as parts. A mark that is not closed, or has spaces inside of it as in "2 * 3", is text. @returns {Part[]} */
export function inline(line) {
  const tokens = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    if (tokens.length > 2 * MOST_MARKS) break;
    if (match.index > end) tokens.push({ text: line.slice(end, match.index) });
    end = match.index + match[0].length;
    const isCode = match[0].length > 2;
    tokens.push(isCode ? { code: match[0].slice(1, -1) } : { mark: match[0], opens: /\S/.test(line[end] ?? ""), closes: /\S/.test(line[match.index - 1] ?? "") });
  }
  if (end < line.length) tokens.push({ text: line.slice(end) });
  // Where each mark is closed, found from the end, so that nothing is searched twice.
  const next = { "*": -1, "**": -1 };
  for (let at = tokens.length - 1; at >= 0; at--) {
    const token = tokens[at];
    if (!token.mark) continue;
    token.closed = token.opens ? next[token.mark] : -1;
    if (token.closes) next[token.mark] = at;
  }
  return tree(tokens, 0, tokens.length);
}

function tree(tokens, from, to) {
  const parts = [];
  const add = (text) => (typeof parts.at(-1) === "string" ? parts.push(parts.pop() + text) : parts.push(text));
  for (let at = from; at < to; at++) {
    const { text, code, mark, closed } = tokens[at];
    if (code !== undefined) parts.push({ mark: "code", parts: [code] });
    else if (mark && closed > at + 1 && closed < to) {
      parts.push({ mark: mark === "*" ? "em" : "strong", parts: tree(tokens, at + 1, closed) });
      at = closed;
    } else add(text ?? mark);
  }
  return parts;
}

/** What is left of parts without their marks. @param {Part[]} parts */
export function plainText(parts) {
  return parts.map((part) => (typeof part === "string" ? part : plainText(part.parts))).join("");
}

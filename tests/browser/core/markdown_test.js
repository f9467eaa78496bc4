// The rules for players: Markdown to a tree, and where it tells of a piece or an order.

import { LONGEST_TEXT, MOST_BLOCKS, inline, plainText, readMarkdown } from "/core/markdown.js";
import { paragraphOf, readRules } from "/core/rules.js";
import { equal, holds, test } from "./checks.js";

const shape = (parts) => parts.map((part) => (typeof part === "string" ? part : { [part.mark]: shape(part.parts) }));
const paragraph = (text) => ({ kind: "paragraph", parts: [text] });

test("headings, paragraphs and lists become blocks", () => {
  const text = "# Game\n\nWin\nsoon.\n\n## Pieces\n### A, B\nOne.\n- x\n  goes on\n- y\n\nEnd.\n\n3. three\n4. four\n#### deep\n#none";
  equal(readMarkdown(text), [
    { kind: "heading", level: 1, text: "Game", parts: ["Game"] },
    paragraph("Win soon."),
    { kind: "heading", level: 2, text: "Pieces", parts: ["Pieces"] },
    { kind: "heading", level: 3, text: "A, B", parts: ["A, B"] },
    paragraph("One."),
    { kind: "list", ordered: false, start: 1, items: [["x goes on"], ["y"]] },
    paragraph("End."),
    { kind: "list", ordered: true, start: 3, items: [["three"], ["four #### deep #none"]] },
  ]);
  equal(readMarkdown("\n \n"), []);
});

test("an empty line between two items makes no second list, another sort of list does", () => {
  const kinds = readMarkdown("- a\n\n- b\n1. c\n\ntext\n- d").map((block) => block.items?.length ?? block.kind);
  equal(kinds, [2, 1, "paragraph", 1]);
});

test("bold, italic and code are marked, also in each other", () => {
  equal(shape(inline("a **b *c* d** `e *f*` *g*")), ["a ", { strong: ["b ", { em: ["c"] }, " d"] }, " ", { code: ["e *f*"] }, " ", { em: ["g"] }]);
  equal(plainText(inline("**Pick** `up`")), "Pick up");
});

test("what is no mark stays as it is written", () => {
  for (const text of ["2 * 3 * 4", "2 * 3*", "*a * b", "a ** b ** c", "**open", "*", "**", "``", "`open", "a*", "<b>&amp;</b>", "* * *", "[x](javascript:y)"]) {
    equal(inline(text), [text], text);
  }
});

test("a hostile text is read in bounded time, and becomes a bounded tree", () => {
  const count = (parts) => parts.reduce((sum, part) => sum + 1 + (typeof part === "string" ? 0 : count(part.parts)), 0);
  for (const piece of ["*a", "**a", "*a **b ", "`", "`a`", "*a* ", "- \n", "# a\n", "1. *a*\n", "a\n\n", "***", " "]) {
    const begun = performance.now();
    const blocks = readMarkdown(piece.repeat(200_000 / piece.length));
    const sizes = blocks.map((block) => count(block.items?.flat() ?? block.parts));
    holds(performance.now() - begun < 2000, `${piece} is read quickly`);
    holds(blocks.length <= MOST_BLOCKS, `${piece} becomes ${blocks.length} blocks`);
    holds(sizes.reduce((sum, size) => sum + size, 0) < 10_000, `${piece} becomes a small tree: ${sizes.slice(0, 5)}`);
  }
  equal(plainText(readMarkdown("x".repeat(LONGEST_TEXT + 5))[0].parts).length, LONGEST_TEXT);
});

test("the rules tell where a piece and an order are told of", () => {
  const text = "# G\n\nWin.\n\n## Pieces\n\n### RedCube, BlueCube\n\nx\n\n### Queen\n\n## Orders\n\n### Pick Up\n\n### Queen\n\n## More\n\n### Other\n";
  const rules = readRules({ ruleset: "g", version: "2", title: "", goal: "Win.", text });
  equal([rules.title, rules.goal, rules.version], ["g", "Win.", "2"]);
  const heading = (section, ...names) => rules.blocks[paragraphOf(rules, section, names)?.at]?.text;
  equal(heading("pieces", "nothing", "Red Cube"), "RedCube, BlueCube");
  equal([paragraphOf(rules, "pieces", ["Queen"]).at, paragraphOf(rules, "orders", ["Queen"]).at], [5, 8]);
  equal([heading("orders", "PickUp"), heading("pieces", "Pick Up"), heading("orders", "Other")], ["Pick Up", undefined, undefined]);
  equal(paragraphOf(null, "pieces", ["Queen"]), null);
  equal(readRules({}).blocks, []);
});

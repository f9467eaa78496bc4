// What is typed to log in, and the listing of games.

import { readLogin } from "/core/lobby.js";
import { equal, test } from "./checks.js";

test("a name names a game, to play, to watch or an old turn of it", () => {
  const read = (typed) => {
    const found = readLogin(typed);
    return found && [found.user, found.game, found.isWatching, found.turn];
  };
  equal(read(" ann "), ["ann", "", false, null]);
  equal(read("ann@"), ["ann", "", false, null]);
  equal(read("ann@friday"), ["ann", "friday", false, null]);
  equal(read("ann smith@my game"), ["ann smith", "my game", false, null]);
  equal(read("eve@friday/watch"), ["eve", "friday", true, null]);
  equal(read("ann@friday/turn/12"), ["ann", "friday", false, 12]);
  equal(read("\u200bZoe\u0308\u00a0Smith@friday\u2013night\ufeff"), ["Zoë Smith", "friday-night", false, null]);
  equal(read("ann＠ｆｒｉｄａｙ／ｔｕｒｎ／１２"), ["ann", "friday", false, 12]);
  for (const typed of ["", "@friday", "ann@friday/look", "ann@friday/turn/", "ann@friday/turn/x", "ann@friday/watch/2"]) equal(read(typed), null);
});

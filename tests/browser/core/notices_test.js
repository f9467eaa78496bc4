// How an account is told of its games: what the server tells, and times of the day as people type them.

import { clockOf, minutesOf, readNotices, wishFor } from "/core/notices.js";
import { equal, test } from "./checks.js";

test("times of the day are minutes after midnight, and back", () => {
  equal([0, 480, 1439].map(clockOf), ["00:00", "08:00", "23:59"]);
  equal(["00:00", "08:00", "23:59", "", "x"].map(minutesOf), [0, 480, 1439, 0, 0]);
});

test("notices without anything set are those of an account that has said nothing", () => {
  const told = readNotices({ usual: { mode: "turn" }, zone: "UTC", digest: 480 });
  equal([told.channels, told.addresses, told.usual, told.quietFrom === told.quietTo, told.digest], [[], [], { game: "", mode: "turn", hours: 0 }, true, "08:00"]);
});

test("of a game of which nothing is said nothing is wanted in particular", () => {
  const told = readNotices({ wishes: [{ game: "friday", mode: "off" }] });
  equal([wishFor(told, "friday").mode, wishFor(told, "monday").mode], ["off", ""]);
});

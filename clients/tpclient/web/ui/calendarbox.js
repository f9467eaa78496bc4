// Part of the dialog "Notices": a link to deadlines for calendar programs.
// Loaded when the dialog is opened.

import { WORDS } from "../words.js";
import { $, h, say, show } from "./dom.js";
import { withProof } from "./proof.js";
import { sentence } from "./toasts.js";

/** Show how it is with the calendar, and what can be done about it. @param {import("../core/player.js").Player} player */
export async function showCalendar(player) {
  const told = await player.calendar().catch(() => null);
  let box = $("notices-calendar");
  if (!told?.offered) {
    box?.remove();
    return;
  }
  if (!box) {
    box = h("section", { id: "notices-calendar", "aria-labelledby": "notices-calendar-title" });
    $("notices").append(box);
  }
  draw(player, box, told, "");
}

function draw(player, box, told, link) {
  const problem = h("p", { class: "problem" });
  const act = (call) => async () => {
    try {
      await call();
    } catch (error) {
      problem.setAttribute("role", "alert");
      say(problem, sentence(error));
    }
  };
  const make = act(async () => {
    const made = await withProof(player, (password) => player.makeCalendar(password));
    draw(player, box, made, made.url || new URL(made.path, location.href).href);
    $("notices-calendar-link").select();
  });
  const revoke = act(async () => {
    await player.revokeCalendar();
    draw(player, box, { ...told, made: 0 }, "");
    box.querySelector("button").focus();
  });
  const since = told.made ? new Date(Number(told.made) * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) : "";
  show(box, [
    h("h3", { id: "notices-calendar-title", text: WORDS.calendar.title }),
    h("p", { id: "notices-calendar-words", class: "hint", text: wordsOf(link, since) }),
    Boolean(link) && h("input", { id: "notices-calendar-link", type: "text", readonly: true, value: link, "aria-label": WORDS.calendar.link, "aria-describedby": "notices-calendar-words" }),
    problem,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: make, text: told.made ? WORDS.calendar.anotherLink : WORDS.calendar.makeLink }),
      Boolean(told.made) && h("button", { type: "button", onclick: revoke, text: WORDS.calendar.revokeLink }),
    ),
  ]);
}

function wordsOf(link, since) {
  if (link) return WORDS.calendar.subscribe;
  return since ? WORDS.calendar.linkSince({ since }) : WORDS.calendar.noLink;
}

// Part of the dialog "Notices": a link by which calendar programs read when turns are due. Loaded as the dialog is opened.

import { $, h, say, show } from "./dom.js";
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
    const made = await player.makeCalendar();
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
    h("h3", { id: "notices-calendar-title", text: "Calendar" }),
    h("p", { id: "notices-calendar-words", class: "hint", text: wordsOf(link, since) }),
    Boolean(link) && h("input", { id: "notices-calendar-link", type: "text", readonly: true, value: link, "aria-label": "Link to the calendar", "aria-describedby": "notices-calendar-words" }),
    problem,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: make, text: told.made ? "Make another link" : "Make a link" }),
      Boolean(told.made) && h("button", { type: "button", onclick: revoke, text: "Revoke the link" }),
    ),
  ]);
}

function wordsOf(link, since) {
  if (link) return "Subscribe to this in your calendar program. Whoever has it sees which games await you until when; it is shown this once.";
  return since ? `There is a link since ${since}. Another one takes its place.` : "Your calendar program can show until when games await you.";
}

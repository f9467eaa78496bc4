// Optional sounds: my turn, a fight, the end.
// The page synthesizes them and loads no files.

import { isAwaited } from "../core/guidance.js";
import { $ } from "./dom.js";
import { keep, recalled } from "./memory.js";

const KEY = "tpclient-sound";
const LOUDNESS = 0.12;
/** By name, the notes: frequency in Hz, when it begins and how long it sounds in seconds, and its wave. */
const SOUNDS = {
  turn: [[659, 0, 0.25, "sine"], [880, 0.14, 0.4, "sine"]],
  fight: [[110, 0, 0.18, "sawtooth"], [82, 0.12, 0.3, "triangle"]],
  end: [[523, 0, 0.9, "sine"], [659, 0.15, 0.9, "sine"], [784, 0.3, 1.1, "sine"]],
};

export class Sound {
  #page;
  /** @type {AudioContext|null} made when something sounds for the first time */
  #context = null;
  /** The turn for which the player has been called, or in which nobody need be. */
  #called = -1;

  /** @param {Object} page `player` */
  constructor(page) {
    this.#page = page;
    $("sound").checked = this.#isOn;
    $("sound").addEventListener("change", ({ target }) => {
      keep(KEY, target.checked ? "on" : "");
      this.play("turn");
    });
  }

  get #isOn() {
    return recalled(KEY) === "on";
  }

  /** Another game: its present turn is no news. */
  reset() {
    this.#called = isAwaited(this.#page.player) ? this.#page.player.turn : -1;
  }

  /** The clock is another: call the player, once a turn, when the turn waits for it. */
  clock() {
    const { player } = this.#page;
    if (!isAwaited(player) || player.turn === this.#called) return;
    this.#called = player.turn;
    this.play("turn");
  }

  /** @param {"turn"|"fight"|"end"} name */
  play(name) {
    if (!this.#isOn || typeof AudioContext === "undefined") return;
    this.#context ??= new AudioContext();
    const context = this.#context;
    // Browsers keep pages quiet until something was pressed in them; then they answer no to this.
    context.resume().catch(() => {});
    for (const [frequency, begins, lasts, wave] of SOUNDS[name]) {
      const [tone, volume] = [context.createOscillator(), context.createGain()];
      const at = context.currentTime + begins;
      tone.type = wave;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0, at);
      volume.gain.linearRampToValueAtTime(LOUDNESS, at + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, at + lasts);
      tone.connect(volume).connect(context.destination);
      tone.start(at);
      tone.stop(at + lasts);
    }
  }
}

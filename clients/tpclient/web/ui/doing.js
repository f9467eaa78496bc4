// The base of dialogs that act: one action at a time, and its result.

import { h, reveal, say } from "./dom.js";
import { sentence } from "./toasts.js";

/** The base of such a dialog. It has places for a sentence of what came of it (`news`) and of why nothing did (`problem`). */
export class DoingDialog {
  #busy = false;
  problem = h("p", { class: "problem", role: "alert" });
  news = h("p", { role: "status" });

  /** What a form is sent for. @param {Event} event @param {() => Promise<string|undefined>} call */
  submit(event, call) {
    event.preventDefault();
    this.do(call);
  }

  /** Do one thing; while it is being done nothing else begins. @param {() => Promise<string|undefined>} call gives a sentence for `came` */
  async do(call) {
    if (this.#busy) return;
    this.#busy = true;
    this.clear();
    try {
      await this.came(await call());
    } catch (error) {
      say(this.problem, sentence(error));
      reveal(this.problem);
    } finally {
      this.#busy = false;
    }
  }

  /** Take away what was said of the thing before. */
  clear() {
    for (const element of [this.problem, this.news]) say(element, "");
  }

  /** Tell what came of a thing. @param {string|undefined} words */
  async came(words) {
    say(this.news, words ?? "");
    reveal(this.news);
  }
}

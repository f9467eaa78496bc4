// All errors of the client, each with a sentence for people in `message`.

/** The base of all errors of the client. */
export class ClientError extends Error {
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

/** Nobody answers at the address, or the address makes no sense. */
export class ServerAway extends ClientError {}

/** The connection has ended while something was waited for. */
export class ConnectionLost extends ClientError {}

/** The server sent something that answers nothing or makes no sense. */
export class UnexpectedAnswer extends ClientError {}

/** What was to be sent does not fit; `parameter` is the index of the order parameter at fault, or -1. */
export class BadArgument extends ClientError {
  constructor(message, parameter = -1) {
    super(message);
    this.parameter = parameter;
  }
}

/** The codes of Fail frames (TP04, Fail). */
export const CODE = Object.freeze({
  PROTOCOL: 0,
  FRAME: 1,
  UNAVAILABLE_PERMANENTLY: 2,
  UNAVAILABLE_TEMPORARILY: 3,
  NO_SUCH_THING: 4,
  PERMISSION_DENIED: 5,
  GONE: 6,
  VERSION: 7,
  TOO_BIG: 8,
  NEEDS_CONSENT: 9,
  PASSWORD_NEEDED: 10,
});

/** The server said no, in its own words. */
export class Refusal extends ClientError {
  /**
   * @param {number} code one of CODE
   * @param {string} text the server's sentence
   * @param {{type: number, id: number}[]} references what it is about
   */
  constructor(code, text, references = []) {
    super(text || "The server refused without saying why.");
    this.code = code;
    this.text = this.message;
    this.references = references;
    /** Index of the order parameter at fault, or -1 if that is not known. Set where an order was refused. */
    this.parameter = -1;
  }

  /** Whether what was asked for is not there (any more). */
  get isGone() {
    return this.code === CODE.NO_SUCH_THING || this.code === CODE.GONE;
  }

  /** Whether the same request may be accepted a moment later, as when a turn is being computed. */
  get isTemporary() {
    return this.code === CODE.UNAVAILABLE_TEMPORARILY;
  }
}

/** Strict JSON that knows what `JSON.parse` forgets: keys that stand twice, and how numbers are written. */

export type Value = null | boolean | string | NumberText | Value[] | Map<string, Value>;

/** A number as it is written: the contract holds none, and languages disagree about them. */
export class NumberText {
  constructor(readonly written: string) {}
}

export class NotStrictError extends Error {
  constructor(readonly code: "not_json" | "duplicate_key" | "computed") {
    super(code);
  }
}

const MOST_DEPTH = 64;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: { readonly [sign: string]: string } = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const WORDS: readonly (readonly [string, null | boolean])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
];

/** Throws NotStrictError: `not_json`, or `duplicate_key` of what is JSON otherwise. */
export function parsed(text: string): Value {
  const reader = new Reader(text);
  const value = reader.whole();
  if (reader.twice) throw new NotStrictError("duplicate_key");
  return value;
}

class Reader {
  twice = false;
  #at = 0;

  constructor(readonly text: string) {}

  whole(): Value {
    const value = this.#value(0);
    this.#space();
    if (this.#at !== this.text.length) throw new NotStrictError("not_json");
    return value;
  }

  #value(depth: number): Value {
    this.#space();
    const sign = this.text[this.#at];
    if (sign === "{" || sign === "[") {
      if (depth === MOST_DEPTH) throw new NotStrictError("not_json");
      return sign === "{" ? this.#object(depth) : this.#array(depth);
    }
    if (sign === '"') return this.#string();
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    const written = this.#match(NUMBER);
    if (written === "") throw new NotStrictError("not_json");
    return new NumberText(written);
  }

  #object(depth: number): Map<string, Value> {
    const held = new Map<string, Value>();
    this.#at += 1;
    for (let more = !this.#ends("}"); more; more = this.#goesOn("}")) {
      this.#space();
      const key = this.#string();
      this.#space();
      this.#take(":");
      this.twice ||= held.has(key) || key === "__proto__";
      held.set(key, this.#value(depth + 1));
    }
    return held;
  }

  #array(depth: number): Value[] {
    const held: Value[] = [];
    this.#at += 1;
    for (let more = !this.#ends("]"); more; more = this.#goesOn("]")) held.push(this.#value(depth + 1));
    return held;
  }

  #string(): string {
    this.#take('"');
    let told = "";
    for (;;) {
      told += this.#match(PLAIN);
      const sign = this.text[this.#at];
      this.#at += 1;
      if (sign === '"') return told;
      if (sign !== "\\") throw new NotStrictError("not_json");
      told += this.#escape();
    }
  }

  #escape(): string {
    const sign = this.text[this.#at] ?? "";
    this.#at += 1;
    const plain = ESCAPES[sign];
    if (plain !== undefined) return plain;
    const hex = this.text.slice(this.#at, this.#at + 4);
    if (sign !== "u" || !/^[0-9a-fA-F]{4}$/.test(hex)) throw new NotStrictError("not_json");
    this.#at += 4;
    return String.fromCharCode(parseInt(hex, 16));
  }

  #ends(sign: string): boolean {
    this.#space();
    if (this.text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #goesOn(end: string): boolean {
    if (this.#ends(end)) return false;
    this.#take(",");
    return true;
  }

  #take(sign: string): void {
    if (this.text[this.#at] !== sign) throw new NotStrictError("not_json");
    this.#at += 1;
  }

  #space(): void {
    while (" \t\n\r".includes(this.text[this.#at] ?? "x")) this.#at += 1;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }
}

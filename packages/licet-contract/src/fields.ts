/** Names of arguments that no model may see or set, and what else such a name may be written like. */

const SENTENCES = /(?<=[.!?;])[ \t\r\n]+|[ \t]*[\r\n]+[ \t\r\n]*/;

/** What is left of a name by its letters and digits, whatever its case, its width and what joins its words. */
export function fold(name: string): string {
  return oneCase(name).replace(/[^\p{L}\p{N}]/gu, "");
}

export class Fields {
  readonly names: ReadonlySet<string>;
  readonly free: ReadonlySet<string>;
  readonly #folded: ReadonlySet<string>;
  readonly #mentioned: RegExp;

  /** `free` are top-level arguments whose content is payload and stays as it is. */
  constructor(names: readonly string[], free: readonly string[] = []) {
    this.names = new Set(names);
    this.free = new Set(free);
    this.#folded = new Set(names.map(fold));
    const words = names.map((name) => (name.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("[\\W_]{0,3}")).sort();
    this.#mentioned = new RegExp(words.length > 0 ? `(?<![a-z0-9_])(?:${words.join("|")})(?![a-z0-9_])` : "(?!)");
  }

  /** Whether it is one of the names, or is written like one. */
  isOne(name: string): boolean {
    return this.names.has(name) || this.#folded.has(fold(name));
  }

  /** Whether a text holds one of them as a word of its own. */
  isMentioned(text: string): boolean {
    return this.#mentioned.test(oneCase(text).replace(/[\p{Cf}\p{Mn}]/gu, ""));
  }

  /** The text without the sentences and lines that mention one. */
  unmentioned(text: string): string {
    if (!this.isMentioned(text)) return text;
    const kept = text.split(SENTENCES).filter((part) => part !== "" && !this.isMentioned(part));
    const told = kept.join(" ");
    return this.isMentioned(told) ? "" : told;
  }
}

function oneCase(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

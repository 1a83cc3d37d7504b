/** One thing that is wrong, and how a line shows it. */

/** `code` is stable, `where` a path of keys or what stands at its end. */
export interface Finding {
  readonly code: string;
  readonly where: string;
}

const MOST_CHARACTERS = 200;
const SHORT: { readonly [sign: string]: string } = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

export function line(path: string, findings: readonly Finding[]): string {
  const told = [...new Set(findings.map(({ code, where }) => shown(`${code} ${where}`.trim())))].sort();
  return `${shown(path)}: ${told.join("; ") || "ok"}`;
}

/** The text with nothing in it that acts on a terminal, cut where it is long. */
function shown(text: string): string {
  const signs = text.split("").map((sign) => {
    if (sign >= " " && sign <= "~" && sign !== "\\") return sign;
    return SHORT[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return signs.join("").slice(0, MOST_CHARACTERS);
}

/** Embedded copies in a tree, and those that ought to be there. Paths are relative to the root, with slashes. */

import { lstatSync, readdirSync, readFileSync, type Dirent } from "node:fs";
import { join } from "node:path";

const MODULES = new Set(["contract.py", "contract.ts"]);
const ADAPTERS = "src/licet/adapters";
const PACKAGES = "packages";
const PASSED_OVER = new Set(["node_modules", "__pycache__", "dist", "build", "site", "venv"]);
const MOST_BYTES = 1 << 20;

/** Folders of tools and builds, and hidden ones, are passed over; links are not followed. */
export function modules(root: string, folder = ""): string[] {
  return entries(join(root, folder)).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return entry.name.startsWith(".") || PASSED_OVER.has(entry.name) ? [] : modules(root, path);
    }
    return MODULES.has(entry.name) ? [path] : [];
  });
}

/** Copies that ought to be there: one in each adapter and each package. */
export function without(root: string, found: readonly string[]): string[] {
  const adapters = below(root, ADAPTERS)
    .filter((name) => entries(join(root, ADAPTERS, name)).some((file) => file.name.endsWith(".py")))
    .map((name) => `${ADAPTERS}/${name}/contract.py`)
    .filter((path) => !found.includes(path));
  const packages = below(root, PACKAGES)
    .filter((name) => entries(join(root, PACKAGES, name)).some((file) => file.name === "package.json"))
    .map((name) => `${PACKAGES}/${name}/`)
    .filter((inside) => !found.some((path) => path.startsWith(inside)))
    .map((inside) => `${inside}src/contract.ts`);
  return [...adapters, ...packages];
}

/** What a file holds, or null: it is no plain file of text, or too large. */
export function textOf(path: string): string | null {
  try {
    const held = lstatSync(path);
    if (!held.isFile() || held.size > MOST_BYTES) return null;
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    return null;
  }
}

function below(root: string, folder: string): string[] {
  return entries(join(root, folder))
    .filter((entry) => entry.isDirectory() && !PASSED_OVER.has(entry.name))
    .map((entry) => entry.name);
}

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

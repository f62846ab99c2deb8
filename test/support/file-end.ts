// What a test file leaves open ends with it, also where several files share a process and a module is
// evaluated for the first of them only: `vitest.config.ts` runs `endings.ts` before each file.

type End = () => Promise<void> | void;

const ends: End[] = [];

/** Registers, when its module is evaluated, what is done at the end of every test file. */
export function atFileEnd(end: End): void {
  ends.push(end);
}

/** What was registered last ends first. */
export async function endFile(): Promise<void> {
  for (const end of ends.toReversed()) {
    await end();
  }
}

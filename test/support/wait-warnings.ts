// The warnings of waits that last, about names of a test.

import { afterAll } from 'vitest';

const said: string[] = [];
const listen = (warning: Error & { code?: string }): void => {
  if (warning.name === 'RedlatchWarning' && warning.code === 'REDLATCH_WAIT') {
    said.push(warning.message);
  }
};
process.on('warning', listen);
afterAll(() => {
  process.off('warning', listen);
});

/** The texts so far that say something about a name. */
export function waitWarningsAbout(name: string): string[] {
  return said.filter((text) => text.includes(`"${name}"`));
}

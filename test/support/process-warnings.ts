// The warnings of the process, as a test file hears them.

import { afterAll } from 'vitest';

/** The texts of all warnings with this code, from now on until the end of the file. */
export function warningsWith(code: string): string[] {
  const texts: string[] = [];
  const listen = (warning: Error & { code?: string }): void => {
    if (warning.code === code) {
      texts.push(warning.message);
    }
  };
  process.on('warning', listen);
  afterAll(() => void process.off('warning', listen));
  return texts;
}

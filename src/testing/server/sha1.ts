import { createHash } from 'node:crypto';

const known = new Map<string, string>();

/** The digest of a source, which is one byte a character. */
export function sha1(source: string): string {
  let digest = known.get(source);
  if (digest === undefined) {
    digest = createHash('sha1').update(source, 'latin1').digest('hex');
    known.set(source, digest);
  }
  return digest;
}

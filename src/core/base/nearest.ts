/** What people write by habit from other libraries, and the names that may be meant, best first. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  timeout: ['waitMs', 'timeoutMs', 'commandTimeoutMs'],
  timeoutms: ['waitMs', 'timeoutMs', 'commandTimeoutMs'],
  acquiretimeout: ['waitMs'],
  waittime: ['waitMs'],
  maxwaitms: ['waitMs'],
  duration: ['leaseMs', 'ttlMs'],
  expiry: ['leaseMs', 'ttlMs'],
  leasetime: ['leaseMs'],
  locktimeout: ['leaseMs'],
  ttl: ['leaseMs', 'ttlMs'],
  ttlms: ['leaseMs'],
  abort: ['signal'],
  abortcontroller: ['signal'],
  count: ['permits'],
  limit: ['permits'],
  max: ['permits'],
  namespace: ['keyPrefix'],
  prefix: ['keyPrefix'],
  client: ['redis'],
  connection: ['redis'],
  host: ['redis'],
  uri: ['redis'],
  url: ['redis'],
  nodes: ['redis'],
  refreshinterval: ['leaseMs'],
  retrycount: ['waitMs'],
  retrydelay: ['waitMs'],
  retryinterval: ['waitMs'],
};

/** The name among `known`, which is not empty, that was most likely meant by `name`. */
export function nearest(name: string, known: readonly string[]): string {
  const habit = Object.hasOwn(MEANT, name.toLowerCase()) ? MEANT[name.toLowerCase()] : undefined;
  const meant = habit?.find((candidate) => known.includes(candidate));
  const [first = '', ...others] = known;
  const closer = (best: string, other: string): string =>
    distance(name, other) < distance(name, best) ? other : best;
  return meant ?? others.reduce(closer, first);
}

/** How many letters have to be added, left out or replaced, whatever their case (Levenshtein). */
function distance(one: string, other: string): number {
  const [from, to] = [Array.from(one.toLowerCase()), Array.from(other.toLowerCase())];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of from.entries()) {
    const next = [line + 1];
    for (const [column, wanted] of to.entries()) {
      const replaced = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

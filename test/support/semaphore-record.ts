/** Where the private record of a counting semaphore is kept: its id, its total, its grants. */
export function semaphoreRecord(name: string): string {
  return name.includes('{') ? `redlatch_permits:${name}` : `redlatch_permits:{${name}}`;
}

/** Where the private mark of a counting semaphore is kept, which tells it from earlier ones. */
export function semaphoreMark(name: string): string {
  return name.includes('{') ? `latchkey_generation:${name}` : `latchkey_generation:{${name}}`;
}

/** The error of the one part of a multi-lock that an error is about; other errors as they are. */
export function partError(error: unknown): unknown {
  const { cause } = error as Error;
  return cause instanceof AggregateError ? (cause.errors[0] as unknown) : error;
}

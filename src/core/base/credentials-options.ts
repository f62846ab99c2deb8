/**
 * What a client signs in with.
 *
 * @example
 * ```ts
 * const token: Credentials = { password: 'secret', expiresAtMs: Date.now() + 900_000 };
 * const client = createClient({ credentials: () => token });
 * ```
 */
export interface Credentials {
  /** By default the user of the template, else `default`. */
  username?: string | undefined;
  /** At least one character. */
  password: string;
  /** When it runs out, in epoch milliseconds, 1000000000000 to 8640000000000000: the client asks again before, or
   * after a second where that is later. By default never. */
  expiresAtMs?: number | undefined;
}

/** Gives the credentials for one server. */
export type CredentialsSource = (server: {
  host: string;
  port: number;
}) => Credentials | Promise<Credentials>;

/** Where credentials come from: the option, or a template. */
export interface CredentialsOrigin {
  /** Its name in errors. */
  readonly title: 'credentials' | 'redis.credentialsProvider';
  /** Whether it may give an empty password: nobody signs in then, or the user that it names does. */
  readonly mayBeNone: boolean;
  ask(server: { host: string; port: number }): unknown;
}

// What both sides do to an object on the master that is responsible for it, and by which pub/sub.

import { MASTERS, type InteropCluster } from './cluster.js';
import { startMonitor, type Monitor, type Seen } from '../support/monitor.js';
import { stepReader, type Steps } from '../support/steps.js';

export interface Watch extends Steps {
  /** Who has published on its channels, or subscribed to them, and by which command. */
  told(): string[];
}

/** Reads along on every master until the end of the test file. */
export async function watchMasters(
  cluster: InteropCluster,
): Promise<(master: number, name: string) => Watch> {
  const watches = await Promise.all(
    MASTERS.map(async (master) => {
      const monitor = await startMonitor(cluster.urls[master]);
      const seen: Seen[] = [];
      const noted: Monitor = {
        async news() {
          const news = await monitor.news();
          seen.push(...news);
          return news;
        },
      };
      return { seen, stepsOf: stepReader(noted) };
    }),
  );
  return (master, name) => {
    const watch = watches[master];
    if (watch === undefined) {
      throw new RangeError(`there is no master ${master}`);
    }
    const told = (): string[] => {
      const own = watch.seen.filter(
        // One command may subscribe several channels.
        ({ command: [verb = '', ...channels] }) =>
          /^s?(?:publish|subscribe)$/u.test(verb) &&
          channels.some((channel) => channel.includes(`{${name}}`)),
      );
      return [...new Set(own.map(({ who, command: [verb] }) => `${who} ${verb}`))].toSorted();
    };
    return { ...watch.stepsOf(name), told };
  };
}

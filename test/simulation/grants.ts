// Faults that wait for a lock to be handed on: the instants between a grant and the message about it are
// few, and most of what can go wrong goes wrong there.

import type { World } from './world.js';

type Happen = (client: number) => void;

/** Watches the messages of the server about grants. */
export class Grants {
  #armed: Happen[] = [];

  constructor({ hosts, clients, timeline }: World) {
    for (const { server } of hosts) {
      server.channels.published = (channel, payload) => {
        const told = clients.find(({ client }) => channel.startsWith(`redlatch:${client.id}`));
        if (told !== undefined && /^[gfx]/.test(payload)) {
          const happen = this.#armed.shift();
          // After the script, and before the message can arrive.
          timeline.at(timeline.now, () => happen?.(told.number));
        }
      };
    }
  }

  /** It happens to the client that the next message about a grant is for. */
  awaitNext(happen: Happen): void {
    this.#armed.push(happen);
  }

  disarm(): void {
    this.#armed = [];
  }
}

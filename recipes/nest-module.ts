// NestJS: a module with one client for the application, which is closed with it, and a decorator that runs a method
// under a lock that its arguments name. Copy the first half.

import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ConfigurableModuleBuilder,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  createClient,
  type AcquireOptions,
  type Client,
  type ClientOptions,
  type Hold,
} from 'redlatch';

export const REDLATCH = Symbol('redlatch');

// forRoot({ ... }) and forRootAsync({ inject, useFactory }).
const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<ClientOptions>()
    .setClassMethodName('forRoot')
    .setExtras({ isGlobal: true }, (module, { isGlobal }) => ({ ...module, global: isGlobal }))
    .build();

@Module({
  providers: [{ provide: REDLATCH, useFactory: createClient, inject: [MODULE_OPTIONS_TOKEN] }],
  exports: [REDLATCH],
})
export class RedlatchModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(@Inject(REDLATCH) private readonly client: Client) {
    super();
  }

  // Nest calls it once the requests under way have been answered; methods with `@Locked` that a timer or a queue has
  // called are given some seconds. What is still held then is released, and its `signal` aborts.
  async onApplicationShutdown(): Promise<void> {
    const ended = Promise.allSettled(callsUnder(this.client));
    await Promise.race([ended, pause(SHUTDOWN_MS, undefined, { ref: false })]);
    await this.client.close();
  }
}

const SHUTDOWN_MS = 10_000;
const calls = new WeakMap<Client, Set<Promise<unknown>>>();

function callsUnder(client: Client): Set<Promise<unknown>> {
  const known = calls.get(client) ?? new Set();
  calls.set(client, known);
  return known;
}

const CLIENT = Symbol('client of @Locked');
const holds = new AsyncLocalStorage<Hold>();

/** The hold under which a method with `@Locked` runs: its `signal` aborts when the lease is lost. */
export const currentHold = (): Hold | undefined => holds.getStore();

/** Runs the method under the lock of this name, which the client of RedlatchModule acquires. */
export function Locked<Args extends unknown[]>(
  nameOf: (...args: Args) => string,
  options: AcquireOptions = {},
) {
  return <Rest extends unknown[], R>(
    target: object,
    _key: string | symbol,
    descriptor: TypedPropertyDescriptor<(...args: [...Args, ...Rest]) => Promise<R>>,
  ) => {
    const method = descriptor.value!;
    const locked = async function (this: { [CLIENT]: Client }, ...args: [...Args, ...Rest]) {
      const lock = this[CLIENT].getLock(nameOf(...(args as unknown as Args)));
      const call = lock.using(options, (hold) => holds.run(hold, () => method.apply(this, args)));
      const underWay = callsUnder(this[CLIENT]).add(call);
      try {
        return await call;
      } finally {
        underWay.delete(call);
      }
    };
    // Guards and interceptors know a handler by its name.
    Object.defineProperty(locked, 'name', { value: method.name });
    // This keeps what the decorators below this one have set: routes, guards, interceptors.
    for (const key of Reflect.getMetadataKeys(method)) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, method), locked);
    }
    descriptor.value = locked;
    Inject(REDLATCH)(target, CLIENT);
  };
}

// An application.

@Injectable()
class Orders {
  inside = 0;
  most = 0;

  @Locked((orderId: string) => `recipe:order:${orderId}`, { waitMs: 5_000 })
  async charge(orderId: string, cents: number): Promise<string> {
    this.inside += 1;
    this.most = Math.max(this.most, this.inside);
    await pause(20, undefined, { signal: currentHold()?.signal });
    this.inside -= 1;
    return `charged: ${cents}, held: ${currentHold()?.isHeld}`;
  }
}

@Module({ imports: [RedlatchModule.forRoot({ label: 'orders' })], providers: [Orders] })
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
app.enableShutdownHooks(); // SIGTERM closes the application, and so the client
const orders = app.get(Orders);
const client = app.get<Client>(REDLATCH);

const orderId = randomUUID();
const answers = await Promise.all([100, 200, 300].map((cents) => orders.charge(orderId, cents)));
console.log(answers.join('; '));
console.log('of one order, at once:', orders.most);

console.log('called:', orders.charge.name);

const kept = await client.getLock(`recipe:order:${orderId}`).acquire();
console.log('another order meanwhile:', await orders.charge(randomUUID(), 400));
const underWay = orders.charge(randomUUID(), 500);
await app.close();
console.log('ended before:', await underWay);
console.log('after the application:', kept.state);
console.log(await orders.charge(orderId, 500).catch((error: Error) => error.name));

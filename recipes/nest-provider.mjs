// A NestJS provider: one client for the application, which is closed with it. What it still holds is given
// back then, so that a deployment does not wait for leases to end.

import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createClient } from 'latchkey';

export const LATCHKEY = Symbol('latchkey');

class LatchkeyModule {
  constructor(client) {
    this.client = client;
  }

  async onApplicationShutdown() {
    await this.client.close();
  }
}
Inject(LATCHKEY)(LatchkeyModule, undefined, 0);
Module({
  providers: [{ provide: LATCHKEY, useFactory: () => createClient() }],
  exports: [LATCHKEY],
})(LatchkeyModule);

class InvoiceService {
  constructor(client) {
    this.client = client;
  }

  async send(id) {
    return await this.client
      .getLock(`recipe:invoice:${id}`)
      .using((hold) => `sent: ${hold.isHeld}`);
  }
}
Inject(LATCHKEY)(InvoiceService, undefined, 0);
Injectable()(InvoiceService);

class AppModule {}
Module({ imports: [LatchkeyModule], providers: [InvoiceService] })(AppModule);

// With TypeScript these calls are decorators: @Module, @Injectable, @Inject(LATCHKEY).
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
app.enableShutdownHooks();
console.log(await app.get(InvoiceService).send(randomUUID()));
const client = app.get(LATCHKEY);
const kept = client.getLock(`recipe:kept:${randomUUID()}`);
await kept.acquire();
await app.close();

const other = createClient();
console.log('what it held is free:', !(await other.getLock(kept.name).isLocked()));
await other.close();
console.log(
  'after the application:',
  await client
    .getLock('recipe')
    .isLocked()
    .catch((error) => error.name),
);

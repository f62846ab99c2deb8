// A NestJS provider: one client for the application, which is closed with it. What it still holds is given
// back then, so that a deployment does not wait for leases to end.

import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createClient } from 'redlatch';

export const REDLATCH = Symbol('redlatch');

class RedlatchModule {
  constructor(client) {
    this.client = client;
  }

  async onApplicationShutdown() {
    await this.client.close();
  }
}
Inject(REDLATCH)(RedlatchModule, undefined, 0);
Module({
  providers: [{ provide: REDLATCH, useFactory: () => createClient() }],
  exports: [REDLATCH],
})(RedlatchModule);

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
Inject(REDLATCH)(InvoiceService, undefined, 0);
Injectable()(InvoiceService);

class AppModule {}
Module({ imports: [RedlatchModule], providers: [InvoiceService] })(AppModule);

// With TypeScript these calls are decorators: @Module, @Injectable, @Inject(REDLATCH).
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
app.enableShutdownHooks();
console.log(await app.get(InvoiceService).send(randomUUID()));
const client = app.get(REDLATCH);
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

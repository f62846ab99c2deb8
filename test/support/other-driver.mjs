// @ts-check
// Loaded before a child process of the tests: its `import 'ioredis'` and `require('ioredis')` get
// the driver that the tests run on.

import Module, { register } from 'node:module';
import { driverPackage } from './driver.mjs';

const hooks = `
  export async function resolve(specifier, context, next) {
    return await next(specifier === 'ioredis' ? '${driverPackage}' : specifier, context);
  }
`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);

// The hooks above are for ES modules only, and there is no public way for the others on Node 20.
const internals = /** @type {Record<string, (name: string, ...rest: unknown[]) => string>} */ (
  /** @type {unknown} */ (Module)
);
const resolveFilename = internals['_resolveFilename']?.bind(Module);
if (resolveFilename === undefined) {
  throw new Error('this Node.js resolves CommonJS modules in another way');
}
internals['_resolveFilename'] = (name, ...rest) =>
  resolveFilename(name === 'ioredis' ? driverPackage : name, ...rest);

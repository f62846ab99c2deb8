// @ts-check
// Loaded before a child process of the tests: its `import 'ioredis'` gets the older major.

import { register } from 'node:module';

const hooks = `
  export async function resolve(specifier, context, next) {
    return await next(specifier === 'ioredis' ? 'ioredis-5' : specifier, context);
  }
`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);

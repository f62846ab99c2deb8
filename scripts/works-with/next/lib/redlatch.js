import { createClient } from 'redlatch';

export const client = (globalThis.redlatch ??= createClient({ label: 'next' }));

// A read-write lock: any number of readers, or one writer, over all processes that share the name.

import { createClient } from 'redlatch';

const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
const { readLock, writeLock } = client.getReadWriteLock('example:settings');

const readers = [await readLock.acquire(), await readLock.acquire()];
console.log('readers:', readers.length);
console.log('a writer beside them:', await writeLock.tryAcquire());
await Promise.all(readers.map((reader) => reader.release()));

await writeLock.using(async (write) => {
  console.log('writing:', write.isHeld);
  await readLock.using((read) => console.log('the writer reads too:', read.isHeld));
});

await client.close();

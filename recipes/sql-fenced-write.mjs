// A fenced write to SQL. The row remembers the largest token that has written it, and one statement compares
// and writes. A holder that was paused past its lease comes too late, and changes nothing.
//
// SQLite stands for any database: the statement is the same for PostgreSQL, MySQL, or Prisma's $executeRaw.

import { randomUUID } from 'node:crypto';
import { createClient } from 'latchkey';
import initSqlJs from 'sql.js';

const client = createClient();
const lock = client.getFencedLock(`recipe:account:${randomUUID()}`);
const { Database } = await initSqlJs();
const db = new Database();
db.run('CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, token INTEGER)');
db.run('INSERT INTO account VALUES (1, 100, 0)');

/** Whether it was written. Drivers take a bigint as a parameter, or its text where they do not. */
function setBalance(balance, token) {
  const larger = String(token);
  db.run(
    'UPDATE account SET balance = ?, token = CAST(? AS INTEGER) WHERE id = 1 AND token < CAST(? AS INTEGER)',
    [balance, larger, larger],
  );
  return db.getRowsModified() === 1;
}

// Its lease ends while it computes: it holds a token, but not the lock.
const late = await lock.acquire({ leaseMs: 200 });
await new Promise((resolve) => late.signal.addEventListener('abort', resolve, { once: true }));

await lock.using((hold) => {
  console.log('the next holder writes:', setBalance(150, hold.fencingToken));
});
console.log('the late one writes:', setBalance(90, late.fencingToken));
const [{ values }] = db.exec('SELECT balance FROM account');
console.log('balance:', values[0][0]);

db.close();
await client.close();

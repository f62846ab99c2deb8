// A fenced write to SQL. The row remembers the largest token that has written it, and one statement compares
// and writes. Once a later holder has written, a holder that was paused past its lease changes nothing.
//
// SQLite stands here for any database with a conditional UPDATE. The column needs 64 bits: tokens are bigints.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'redlatch';
import initSqlJs from 'sql.js';

const client = createClient();
const lock = client.getFencedLock(`recipe:account:${randomUUID()}`);
const { Database } = await initSqlJs();
const db = new Database();
db.run('CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, token INTEGER)');
db.run('INSERT INTO account VALUES (1, 100, 0)');

/** Whether it was written. The same holder may write again: its token is equal then. */
function setBalance(balance, token) {
  const sent = String(token); // this driver takes no bigint
  db.run(
    `UPDATE account SET balance = ?, token = CAST(? AS INTEGER)
     WHERE id = 1 AND token <= CAST(? AS INTEGER)`,
    [balance, sent, sent],
  );
  return db.getRowsModified() === 1;
}

// Its lease ends while it computes: it still has a token, but no longer the lock.
const late = await lock.acquire({ leaseMs: 200 });
while (late.isHeld) {
  await pause(20);
}

await lock.using((hold) => {
  console.log('the next holder writes:', setBalance(150, hold.fencingToken));
  console.log('and once more:', setBalance(160, hold.fencingToken));
});
console.log('the late one writes:', setBalance(90, late.fencingToken));
const [{ values }] = db.exec('SELECT balance FROM account');
console.log('balance:', values[0][0]);

db.close();
await client.close();

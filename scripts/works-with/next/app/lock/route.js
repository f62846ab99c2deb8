import { client } from '../../lib/redlatch.js';

export const dynamic = 'force-dynamic';

const EDIT = 0;

export async function GET() {
  const hold = await client.getFencedLock('works-with:next').acquire({ waitMs: 5_000 });
  const { isHeld } = hold;
  await hold.release();
  return Response.json({ isHeld, edit: EDIT });
}

import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { newId } from '@payment-intents/server/src/store/lists/ids.ts'
import { insertReturnOrigin } from '@payment-intents/server/src/store/merchants/returnOrigins.ts'

/** Adds an origin that a test merchant's pages may lead back to. */
export async function allowReturnOrigin(db: Db, merchantId: string, origin: string): Promise<void> {
  const now = new Date()
  await insertReturnOrigin(
    db,
    merchantId,
    { id: newId('ro', now.getTime()), origin, createdAt: now },
    100,
  )
}

import { apiKeyHint, hashApiKey, newApiKey } from '@payment-intents/server/src/lib/crypto/apiKey.ts'
import type { Queryable } from '@payment-intents/server/src/store/connection/connect.ts'
import { newId } from '@payment-intents/server/src/store/lists/ids.ts'
import { insertApiKey } from '@payment-intents/server/src/store/merchants/apiKeys.ts'
import {
  insertMerchant,
  setMerchantWallet,
} from '@payment-intents/server/src/store/merchants/merchants.ts'

/** A test merchant with a wallet on Base and an API key, as the server's command line makes it, which takes longer to start. */
export async function createMerchant(
  db: Queryable,
  { name, wallet }: { name: string; wallet: `0x${string}` },
): Promise<{ id: string; apiKey: string }> {
  const id = newId('mer', Date.now())
  const of = { merchantId: id, mode: 'testnet' } as const
  await insertMerchant(db, { id, name, defaultChain: null })
  await setMerchantWallet(db, { ...of, chain: 'base', address: wallet })
  const apiKey = newApiKey('testnet')
  const stored = { hash: hashApiKey(apiKey), hint: apiKeyHint(apiKey) }
  await insertApiKey(db, { id: newId('key', Date.now()), ...of, ...stored })
  return { id, apiKey }
}

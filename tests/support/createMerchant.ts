import type { Queryable } from 'server/src/db/connect.ts'
import { newId } from 'server/src/db/ids.ts'
import { insertApiKey } from 'server/src/db/merchants/apiKeys.ts'
import { insertMerchant, setMerchantWallet } from 'server/src/db/merchants/merchants.ts'
import { apiKeyHint, hashApiKey, newApiKey } from 'server/src/secrets/apiKey.ts'

/** A test merchant with a wallet on Base and an API key, as the server's command line makes one, which takes longer to start. */
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

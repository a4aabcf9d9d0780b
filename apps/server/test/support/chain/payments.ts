import type { DevChain } from '@payment-intents/testing'
import { expect } from 'vitest'
import type { ServerProcess } from '../server/serverProcess.ts'
import { type Json, resolveIntent, shopWallet } from '../server/testServer.ts'

/** Pays the requested amount by reference. */
export async function payIntent(chain: DevChain, intent: Json): Promise<void> {
  const [, payer] = chain.accounts
  await chain.pay({
    from: payer?.address ?? shopWallet,
    to: intent.expected_wallet,
    amount: BigInt(intent.payable_amount_units),
    reference: intent.payment_reference,
  })
}

/** Waits for a status while the server runs. */
export async function untilStatus(
  server: Pick<ServerProcess, 'until' | 'request'>,
  { client_secret }: Json,
  status: string,
): Promise<void> {
  await server.until(async () => {
    expect(await resolveIntent(server, client_secret)).toMatchObject({ status })
  })
}

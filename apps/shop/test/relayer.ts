import { createClient } from '@payment-intents/node'
import { expect } from 'vitest'
import { patientCalls } from '../../../tests/support/patience.ts'
import { until } from '../../../tests/support/until.ts'
import { resolve } from './checkoutSteps.ts'
import { stack } from './stack.ts'
import { relayer } from './startService.ts'

/** From now on, the service submits what payers and the shop sign. */
export async function fundRelayer(): Promise<void> {
  await hold(relayer, 10n ** 18n)
  await untilOffered()
}

export async function hold(account: string, wei: bigint): Promise<void> {
  await stack.chain.rpc('anvil_setBalance', [account, `0x${wei.toString(16)}`])
}

/** The service reads what its relayer holds from time to time. */
async function untilOffered(): Promise<void> {
  const { apiKey, apiUrl: baseUrl } = stack
  const client = createClient({ apiKey, baseUrl, ...patientCalls })
  const { client_secret } = await client.createPaymentIntent({ amount_units: 3_210_000 })
  await until(async () => {
    expect((await resolve(client_secret)).gasless).not.toBeNull()
  })
}

import type { X402Required, X402Settlement } from '@payment-intents/contract'
import type { DevAccount } from '@payment-intents/testing'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { fetchModule } from '../../../../../scripts/fetch/fetchModule.ts'

type Config = { schemes: { network: string; client: unknown }[]; spendControls?: unknown }
type FetchPackage = {
  wrapFetchWithPaymentFromConfig(
    fetch: typeof globalThis.fetch,
    config: Config,
  ): typeof globalThis.fetch
  x402Client: {
    fromConfig(config: Config): {
      createPaymentPayload(required: X402Required): Promise<X402Payload>
    }
  }
}
type EvmPackage = { ExactEvmScheme: new (account: PrivateKeyAccount) => unknown }

/** A payload of the protocol's own client. */
export type X402Payload = {
  accepted: Record<string, unknown>
  payload: { authorization: Record<string, string>; signature: string }
}

/**
 * Creates the protocol's own client, from npm.
 * @param fetch sends its requests
 */
export async function x402Client(
  account: Pick<DevAccount, 'privateKey'>,
  fetch = globalThis.fetch,
  options: Pick<Config, 'spendControls'> = {},
) {
  const { wrapFetchWithPaymentFromConfig, x402Client } = await fetchModule<FetchPackage>(
    'x402',
    '@x402/fetch',
  )
  const { ExactEvmScheme } = await fetchModule<EvmPackage>('x402', '@x402/evm')
  const client = new ExactEvmScheme(privateKeyToAccount(account.privateKey))
  const config = { schemes: [{ network: 'eip155:*', client }], ...options }
  return {
    fetch: wrapFetchWithPaymentFromConfig(fetch, config),
    /** Signs the terms of a 402. */
    sign: (required: X402Required) => x402Client.fromConfig(config).createPaymentPayload(required),
  }
}

/** The decoded header of a response: the terms of a 402, or a settlement. */
export function headerOf(response: Response, name: 'payment-required'): X402Required
export function headerOf(response: Response, name: 'payment-response'): X402Settlement
export function headerOf(response: Response, name: string): unknown {
  const value = response.headers.get(name)
  if (value === null) throw new Error(`There is no ${name}.`)
  return JSON.parse(Buffer.from(value, 'base64').toString())
}

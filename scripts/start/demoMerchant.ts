import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { merchantWallet } from './demoAccounts.ts'
import { Failure } from './failure.ts'

export type DemoMerchant = {
  readonly id: string
  readonly apiKey: string
  readonly origin: 'created' | 'kept'
}

/**
 * Returns the demo merchant and its API key: those in `envPath` while the server accepts the key, else a new merchant.
 *
 * @param cli runs the server's command line and returns what it printed
 */
export async function demoMerchant(options: {
  envPath: string
  baseUrl: string
  /** Origin of the shop, to which the hosted page may lead back. */
  shopUrl: string
  cli(args: readonly string[]): Promise<string>
}): Promise<DemoMerchant> {
  const stored = readStored(options.envPath)
  if (stored && (await isTaken(options.baseUrl, stored.apiKey)))
    return { ...stored, origin: 'kept' }

  const { cli } = options
  const merchant = await cli([
    'merchant',
    'create',
    '--name',
    'Hollow Hill',
    '--default-chain',
    'base',
  ])
  const of = [merchant, '--mode', 'testnet']
  const setWallet = (chain: string) =>
    cli(['wallet', 'set', ...of, '--chain', chain, '--address', merchantWallet])
  const [apiKey] = await Promise.all([
    cli(['key', 'create', ...of]),
    setWallet('base'),
    setWallet('polygon'),
    cli(['support', 'set', merchant, '--contact', 'help@hollowhill.example']),
    cli(['return', 'allow', merchant, '--origin', options.shopUrl]),
  ])
  return { id: merchant, apiKey, origin: 'created' }
}

function readStored(envPath: string): Omit<DemoMerchant, 'origin'> | undefined {
  if (!existsSync(envPath)) return undefined
  const env = parseEnv(readFileSync(envPath, 'utf8'))
  const { MERCHANT_ID: id, PAYMENT_INTENTS_API_KEY: apiKey } = env
  return id && apiKey ? { id, apiKey } : undefined
}

/** The key is checked before the body, so that an empty body shows whether a key is valid and creates nothing. */
async function isTaken(baseUrl: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/v1/payment_intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{}',
  })
  if (response.status === 400) return true
  if (response.status === 401 || response.status === 404) return false
  throw new Failure(`The server returned ${response.status} for the demo key.`)
}

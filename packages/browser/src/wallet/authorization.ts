import type { TransferAuthorization } from '@payment-intents/contract'
import { authorizationTypes } from '@payment-intents/contract/usdc'
import { priceDue } from '../lib/amount.ts'
import { toJson } from '../lib/toJson.ts'
import type { Intent } from '../service/parseIntent.ts'

/** The message that an account signs to pay without gas (EIP-3009); `from` is the account. */
export type Signable = {
  domain: { name: string; version: string; chainId: number; verifyingContract: string }
  message: Omit<TransferAuthorization, 'from'>
}

/** The typed data for a wallet to sign. */
export type Authorization = { domain: Signable['domain']; message: TransferAuthorization }

/** The least time before the deadline: the authorization has to be mined before it. */
const minMs = 60_000
const mainnets = [8453, 137]

/**
 * The authorization to sign to pay without gas; `null` if the service does not offer it, or offers to sign anything but this payment: each
 * value is derived here, and only compared to the service's.
 *
 * @param now the service's clock, in milliseconds
 */
export function gaslessOf(intent: Intent, now: number): Signable | null {
  const { gasless, chain_id } = intent
  const deadline = Date.parse(intent.expires_at)
  const expected: Signable = {
    domain: {
      name: mainnets.includes(chain_id) ? 'USD Coin' : 'USDC',
      version: '2',
      chainId: chain_id,
      verifyingContract: intent.token_address,
    },
    message: {
      to: intent.expected_wallet,
      value: String(priceDue(intent)),
      validAfter: '0',
      validBefore: String(Math.floor(deadline / 1000)),
      nonce: intent.payment_reference,
    },
  }
  const isSupported =
    gasless?.fee_units === 0 &&
    isSame(gasless.domain, expected.domain) &&
    isSame(gasless.message, expected.message)
  return isSupported && deadline - now > minMs ? expected : null
}

/**
 * The parameter of `eth_signTypedData_v4`, with the names and order of the standard: hardware wallets show it field by
 * field.
 *
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export function typedData({ domain, message }: Authorization): string {
  return toJson({
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      ...authorizationTypes,
    },
    primaryType: 'TransferWithAuthorization',
    domain,
    message,
  })
}

/** Whether a wallet's response can be a signature: an account key's, or data that a contract checks. */
export function isSignature(value: unknown): value is string {
  return typeof value === 'string' && /^0x([0-9a-f]{2}){64,4096}$/i.test(value)
}

function isSame(offered: unknown, expected: object): boolean {
  return Object.entries(expected).every(([key, value]) => {
    const other = (offered as Record<string, unknown> | undefined)?.[key]
    return String(other).toLowerCase() === String(value).toLowerCase()
  })
}

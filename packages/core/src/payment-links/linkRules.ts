import { type Chain, chainNames, limits } from '@payment-intents/contract'
import { conflict, HttpError, invalidBody } from '../http/httpError.ts'
import { returnUrlRefused } from '../payment-intents/checkout/returnOrigin.ts'
import type { Merchant } from '../payment-intents/creation/newIntent.ts'
import type { LinkSettings } from './paymentLink.ts'
import type { LinkContext } from './store.ts'

/** The latest time with a year of four digits. */
const endOfTime = Date.UTC(10_000, 0)

/**
 * Refuses settings that a link cannot have now.
 * The settings are those that the request names.
 *
 * @param now Unix milliseconds
 * @throws {HttpError} `invalid_body`
 */
export function checkSettings(
  { expiresAt, returnUrl }: Partial<LinkSettings>,
  { isReturnOrigin }: LinkContext,
  now: number,
): void {
  if (typeof expiresAt === 'number' && !(expiresAt > now && expiresAt < endOfTime)) {
    throw invalidBody([{ path: 'expires_at', message: 'must be in the future' }])
  }
  if (typeof returnUrl === 'string' && !isReturnOrigin) throw returnUrlRefused()
}

/** @throws {HttpError} `conflict` if the merchant may have no other active link */
export function checkActiveLinks({ activeLinks }: LinkContext): void {
  if (activeLinks < limits.activeLinks) return
  const message = `There are ${limits.activeLinks} active payment links already; deactivate a link first.`
  throw conflict('illegal_state', message)
}

/**
 * The chains on which a link can be paid, in the contract's order.
 * @param wanted undefined: every chain on which the merchant has a wallet
 * @param confirmations of each chain that the service follows in the merchant's mode
 * @throws {HttpError} `wallet_invalid`, or `invalid_body` for a chain that the service does not follow
 */
export function linkChains(
  wanted: readonly Chain[] | undefined,
  { mode, wallets }: Pick<Merchant, 'mode' | 'wallets'>,
  confirmations: { readonly [chain in Chain]?: number },
): Chain[] {
  const followed = chainNames.filter((chain) => confirmations[chain])
  const foreign = wanted?.find((chain) => !followed.includes(chain))
  if (foreign) {
    const message = `this server does not take ${mode} payments on ${foreign}`
    throw invalidBody([{ path: 'chains', message }])
  }
  const payable = followed.filter((chain) => wallets[chain])
  const missing = wanted?.find((chain) => !payable.includes(chain))
  if (missing || payable.length === 0) {
    const where = missing ? `${missing} wallet` : 'wallet'
    const message = `The merchant has no ${where} in ${mode} mode: configure a wallet.`
    throw new HttpError('wallet_invalid', message)
  }
  return wanted ? payable.filter((chain) => wanted.includes(chain)) : payable
}

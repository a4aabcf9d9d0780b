import type { ListPaymentIntents, ListRefunds, ListTransfers } from '@payment-intents/contract'

/** A search, and its name in a sentence. */
export type GuessedSearch = { readonly as: string } & (
  | { readonly id: string }
  | { readonly refundId: string }
  | {
      readonly payments?: ListPaymentIntents
      readonly transfers?: ListTransfers
      readonly refunds?: ListRefunds
    }
)

const hash = /(?:^|[^0-9a-z])0x([0-9a-f]{64})(?![0-9a-f])|^([0-9a-f]{64})$/i
const address = /(?:^|[^0-9a-z])(0x[0-9a-f]{40})(?![0-9a-f])/i
const amount = /^[$]?\s*(\d[\d,]*(?:\.\d+)?)\s*(?:usdc?|[$])?$/i

/**
 * Guesses what a support agent has pasted, such as the link of a transaction.
 * @param key the metadata key of the merchant's order id
 */
export function guessSearch(text: string, key: string): GuessedSearch[] {
  // The client secret of a checkout starts with the id.
  const [, id] = /^(pi_[0-9A-Za-z]+)(?:_secret_[0-9A-Za-z]+)?$/.exec(text) ?? []
  if (id !== undefined) return [{ as: 'id', id }]
  // So does the link of a refund's page, after the `#`.
  const [, refundId] = /(?:^|#)(re_[0-9A-Za-z]+)(?:_link_[\w-]+)?$/.exec(text) ?? []
  if (refundId !== undefined) return [{ as: 'refund', refundId }]
  const [, payment_link] = /(?:^|\/l\/)(plink_[0-9A-Za-z]+)$/.exec(text) ?? []
  if (payment_link !== undefined) return [{ as: 'payment link', payments: { payment_link } }]
  const [matched, prefixed, bare] = hash.exec(text) ?? []
  if (matched !== undefined) {
    const tx_hash = `0x${(prefixed ?? bare ?? '').toLowerCase()}`
    return [
      {
        ...{ as: 'transaction', payments: { tx_hash }, transfers: { tx_hash } },
        refunds: { tx_hash },
      },
      { as: 'payment reference', payments: { reference: tx_hash } },
      { as: 'refund reference', refunds: { reference: tx_hash } },
    ]
  }
  const [, account] = address.exec(text) ?? []
  if (account !== undefined) {
    return [
      { as: 'payer', payments: { payer: account }, transfers: { payer: account } },
      { as: 'wallet', payments: { wallet: account }, transfers: { wallet: account } },
      { as: 'destination of a refund', refunds: { destination: account } },
      { as: 'account that refunds', refunds: { from: account } },
    ]
  }
  return [
    { as: `metadata ${key}`, payments: { metadata: { [key]: text } } },
    ...unitsOf(text).map((amount_units) => {
      const as = `amount of ${amount_units} units`
      const filter = { amount_units }
      return { as, payments: filter, transfers: filter, refunds: filter }
    }),
  ]
}

const decimals = 6

/** Reads an amount in USDC; a whole number also as units, as the API writes amounts. */
function unitsOf(text: string): number[] {
  const [, digits = ''] = amount.exec(text) ?? []
  const [integer = '', fraction = ''] = digits.replaceAll(',', '').split('.')
  const significant = fraction.replace(/0+$/, '')
  const isExact = integer !== '' && significant.length <= decimals
  const candidates = [
    ...(isExact ? [Number(integer + significant.padEnd(decimals, '0'))] : []),
    ...(digits.includes('.') ? [] : [Number(integer)]),
  ]
  return [...new Set(candidates)].filter((units) => Number.isSafeInteger(units) && units > 0)
}

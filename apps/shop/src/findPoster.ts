import type { Client, PaymentLink } from '@payment-intents/node'
import { products } from './products.ts'

export type Poster = {
  readonly name: string
  readonly amount_units: number
  /** The page of the payment link. */
  readonly url: string
  readonly payment_link: string
  /** How often it was paid. */
  readonly sold: number
}

const productId = 'candle'

/** Finds the payment link of the poster in the window, or creates it: it has no order and no backend of its own. */
export async function findPoster({ paymentLinks }: Client): Promise<Poster> {
  const product = products.find(({ id }) => id === productId)
  if (!product) throw new Error(`There is no ${productId}.`)
  const { amountUnits, name } = product
  const isOfPoster = ({ metadata, amount_units }: PaymentLink) =>
    metadata.poster === productId && amount_units === amountUnits
  const links = await paymentLinks.list({ active: true }).autoPagingToArray({ limit: 1_000 })
  const link =
    links.find(isOfPoster) ??
    (await paymentLinks.create(
      { amount_units: amountUnits, description: name, metadata: { poster: productId } },
      { idempotencyKey: `poster ${productId} ${amountUnits}` },
    ))
  const { id: payment_link, url, payments_count: sold } = link
  return { name, amount_units: amountUnits, url, payment_link, sold }
}

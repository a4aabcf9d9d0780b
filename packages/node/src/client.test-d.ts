import { type Client, createClient, type PaymentIntent, verifyWebhook } from './index.ts'
import { webhookHandler } from './webhook/next.ts'

const params = { amount_units: 1 }

export async function rejectsUnknownFields(client: Client): Promise<unknown[]> {
  const created = await client.createPaymentIntent(params)
  const intent = await client.paymentIntents.retrieve('pi_1')
  const { data } = await client.transfers.list()
  const endpoint = await client.webhookEndpoints.retrieve('we_1')
  const receipt = await client.paymentIntents.retrieveReceipt('pi_1')
  return [
    // @ts-expect-error no such field
    created.statsu,
    // @ts-expect-error no such field
    intent.statsu,
    // @ts-expect-error no such field of an object in the response
    intent.links.pgae,
    // @ts-expect-error no such field of an item
    data[0]?.amount,
    // @ts-expect-error no such field
    endpoint.secret,
    // @ts-expect-error no such field
    receipt.transfers[0]?.amount,
    // @ts-expect-error no such field of a page
    (await client.events.list()).hasMore,
  ]
}

/** Each field is assigned without a check for undefined. */
export async function hasEveryRequiredField(client: Client): Promise<void> {
  const created = await client.createPaymentIntent(params)
  created.created_at satisfies string
  created.payable_amount_units satisfies number
  created.payment_reference satisfies string
  created.links.page satisfies string
  const intent = await client.paymentIntents.retrieve('pi_1')
  intent.links.x402 satisfies string | null
  const canceled = await client.paymentIntents.cancel('pi_1')
  // @ts-expect-error only creation and retrieval have links
  canceled.links
  for await (const transfer of client.transfers.list()) {
    transfer.suggestions.length satisfies number
  }
  const receipt = await client.paymentIntents.retrieveReceipt('pi_1')
  receipt.metadata satisfies object
  // @ts-expect-error only a stored response has it
  created.ended_as satisfies string
}

export function allowsLaterStatuses({ status }: PaymentIntent): boolean {
  return status === 'succeeded' || status === 'added_later'
}

type Order = { order_id: string; note?: string }

export async function typesMetadataOfAttentionItems(): Promise<string[]> {
  const { data } = await createClient<Order>().attention.list({ type: 'payment_intent_late' })
  return data.map((item) => {
    // @ts-expect-error only an item of its type has it
    item.refund
    if (item.type === 'refund_waiting') return item.refund.metadata.order_id
    if (item.type === 'payment_intent_late') return item.payment_intent.metadata.order_id
    return item.cursor
  })
}

export async function allowsLaterTypes(client: Client): Promise<string[]> {
  const { data } = await client.attention.list()
  const { data: entries } = await client.paymentIntents.retrieveTimeline('pi_1')
  return [...data, ...entries].map((each) => {
    switch (each.type) {
      case 'transfer_unmatched':
        return each.transfer.id
      case 'delivery':
        return each.webhook_endpoint
      default:
        // @ts-expect-error a newer server may send another
        each satisfies never
        return each.type
    }
  })
}

export async function typesMetadataOfLinks(): Promise<string> {
  const { paymentLinks } = createClient<Order>()
  const terms = { amount_units: null, description: 'Order' }
  // @ts-expect-error the intents of the link need it
  await paymentLinks.create(terms)
  // @ts-expect-error no such field
  await paymentLinks.create({ ...terms, metadata: { order: '1' } })
  // @ts-expect-error an open amount is said, not left out
  await createClient().paymentLinks.create({ description: 'Order' })
  const { id } = await paymentLinks.create({ ...terms, metadata: { order_id: '1' } })
  const { metadata } = await paymentLinks.update(id, { active: false })
  return metadata.order_id
}

export async function typesMetadata(request: Request): Promise<string[]> {
  const client = createClient<Order>()
  const created = await client.createPaymentIntent({ ...params, metadata: { order_id: '1' } })
  const intent = await client.paymentIntents.retrieve(created.id)
  const [listed] = (await client.paymentIntents.list()).data
  const receipt = await client.paymentIntents.retrieveReceipt(created.id)
  const assigned = await client.transfers.assign('tr_1', { payment_intent: created.id })
  // @ts-expect-error the metadata of this merchant is required
  await client.createPaymentIntent(params)
  // @ts-expect-error no such field of this merchant
  await client.paymentIntents.create({ ...params, metadata: { order: '1' } })
  // @ts-expect-error no such field of this merchant
  const misspelt: string = intent.metadata.orderId
  // @ts-expect-error it may be missing
  const note: string = intent.metadata.note
  const event = await verifyWebhook<Order>(await request.text(), request.headers)
  webhookHandler<Order>((event) => {
    if (event.type === 'payment_intent.expired') return event.data.object.metadata.order_id
    return event.id
  })
  return [
    ...[created, intent, assigned].map(({ metadata }) => metadata.order_id),
    ...[listed?.metadata.order_id ?? '', receipt.metadata.order_id, misspelt, note],
    event.type === 'payment_intent.succeeded' ? event.data.object.metadata.order_id : '',
  ]
}

export async function leavesMetadataUnknown(client: Client): Promise<string> {
  const { metadata } = await client.createPaymentIntent({ ...params, metadata: { order_id: '1' } })
  // @ts-expect-error any JSON value
  return metadata.order_id
}

export function keepsClientOfMerchant(): Client {
  // @ts-expect-error a `Client` could create a payment intent without the order
  return createClient<Order>()
}

export async function collects(client: Client): Promise<string[]> {
  // @ts-expect-error `limit` is required
  await client.events.list().autoPagingToArray()
  // @ts-expect-error `limit` is required
  await client.events.list().autoPagingToArray({})
  const intents = await client.paymentIntents.list().autoPagingToArray({ limit: 10 })
  return intents.map(({ id }) => id)
}

export function hasNoFlatMethods(client: Client): unknown[] {
  return [
    // @ts-expect-error `paymentIntents.retrieve`
    client.retrievePaymentIntent,
    // @ts-expect-error `paymentIntents.list`
    client.listPaymentIntents,
    // @ts-expect-error `transfers.assign`
    client.assignTransfer,
  ]
}

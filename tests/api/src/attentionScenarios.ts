import { attentionTypeSchema } from '@payment-intents/contract'
import type { Json } from '@payment-intents/server/test/support/server/testServer.ts'
import { payer, shop } from './accounts.ts'
import type { Observed } from './record.ts'
import { signedBy } from './refundScenarios.ts'

const attention = '/v1/attention'
const refunds = '/v1/refunds'
const destination = payer.address

/** Each way in which something comes to need attention, and each in which it is dealt with. */
export const attentionScenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'nothing needs attention'({ call, create, pay }) {
    await pay(await create())
    await create()
    await call('GET', attention)
    for (const type of attentionTypeSchema.options) await call('GET', `${attention}?type=${type}`)
    for (const query of ['type=transfer', 'starting_after=pi_1', 'limit=101', 'status=open']) {
      await call('GET', `${attention}?${query}`)
    }
  },

  async 'an unmatched transfer needs attention until it is assigned or refunded'(service) {
    const { call, create, transfer, confirm, later } = service
    const intent = await create()
    await transfer(9_999)
    for (const amount of [11_000_000, 10_000, 777_777]) {
      await later()
      await transfer(amount)
    }
    await confirm(intent, 5)
    const { data } = await call('GET', `${attention}?limit=1`)
    await call('GET', `${attention}?limit=1&starting_after=${data[0].cursor}`)
    const { data: all } = await call('GET', `${attention}?type=transfer_unmatched`)
    await call('GET', `${attention}?type=payment_intent_late`)
    const [refunded, , assigned] = all.map((item: Json) => item.transfer.id)
    const body = { payment_intent: intent.id }
    await call('POST', `/v1/transfers/${assigned}/assign`, { body })
    const refund = await call('POST', refunds, { body: { transfer: refunded } })
    await call('GET', `${attention}?type=transfer_unmatched`)
    // The place of an item that has left the list.
    await call('GET', `${attention}?starting_after=${data[0].cursor}&type=transfer_unmatched`)
    await call('POST', `${refunds}/${refund.id}/cancel`)
    await call('GET', attention)
  },

  async 'an underpaid payment needs attention until refunds cover it, or it is accepted'(service) {
    const { call, create, underpay, advance, confirm } = service
    const intent = await create({ expires_in_minutes: 10 })
    await underpay(intent)
    await call('GET', attention)
    await advance(11)
    await call('GET', attention)
    await confirm(intent, 4)
    const send = (amount_units: number) =>
      call('POST', refunds, { body: { payment_intent: intent.id, amount_units, destination } })
    const look = () => call('GET', `${attention}?type=payment_intent_underpaid`)
    await send(1_000_000)
    await look()
    const { id } = await send(11_490_001)
    await look()
    await call('POST', `${refunds}/${id}/cancel`)
    await look()
    await call('POST', `/v1/payment_intents/${intent.id}/accept`)
    await look()
  },

  async 'a late payment needs attention until it is accepted'(service) {
    const { call, create, pay, payLate, confirm } = service
    const canceled = await create()
    await call('POST', `/v1/payment_intents/${canceled.id}/cancel`)
    await pay(canceled, { confirmations: 1 })
    await call('GET', attention)
    await call('POST', `/v1/payment_intents/${canceled.id}/accept`)
    await call('GET', attention)
    const intent = await create({ expires_in_minutes: 5 })
    await payLate(intent)
    await call('GET', `${attention}?type=payment_intent_late`)
    await call('POST', `/v1/payment_intents/${intent.id}/accept`)
    await confirm(intent, 5)
    await call('GET', attention)
  },

  async 'an overpaid payment needs attention until the rest is refunded, or moved away'(service) {
    const { call, create, pay, later } = service
    const [more, twice, other] = [await create(), await create(), await create()]
    await pay(more, { amount_units: 26_000_000 })
    await later()
    await pay(twice)
    await pay(twice)
    const look = () => call('GET', `${attention}?type=payment_intent_overpaid`)
    await look()
    const body = { payment_intent: more.id, amount_units: 1_000_000, destination }
    await call('POST', refunds, { body })
    await look()
    const { data } = await call('GET', `/v1/transfers?payment_intent=${twice.id}`)
    await call('POST', `/v1/transfers/${data[0].id}/assign`, { body: { payment_intent: other.id } })
    await look()
  },

  async 'a reversed payment needs attention until it is paid again'(service) {
    const { call, create, pay, reorg, confirm } = service
    const intent = await create()
    await pay(intent)
    await reorg(intent)
    await call('GET', attention)
    await pay(intent, { amount_units: 1_000_000, confirmations: 1 })
    await pay(intent, { confirmations: 1 })
    await call('GET', `${attention}?type=payment_intent_reversed`)
    await confirm(intent, 4)
    await call('GET', attention)
  },

  async 'a refund needs attention until it is signed'(service) {
    const { call, create, pay, submitRefund, confirmRefund } = service
    const intent = await create()
    await pay(intent)
    const { id } = await call('POST', refunds, { body: { payment_intent: intent.id } })
    const look = () => call('GET', `${attention}?type=refund_waiting`)
    await look()
    const refund = await call('PATCH', `${refunds}/${id}`, { body: { destination } })
    await look()
    const signed = await signedBy(refund, shop)
    await call('POST', `${refunds}/${id}/authorize`, { body: signed })
    await look()
    await submitRefund(refund, signed)
    await confirmRefund(refund, 4)
    await look()
  },
}

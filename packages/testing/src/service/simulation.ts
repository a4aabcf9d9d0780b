import {
  type Address,
  type Chain,
  chainFactsOf,
  type ListedRefund,
  type RetrievedPaymentIntent,
  type Transfer,
} from '@payment-intents/contract'
import type { OptionNames } from '@payment-intents/contract/options'
import {
  type Intent,
  payingTransfers,
  presentInEvent,
  presentInRefundEvent,
  presentTransfer,
  received,
} from '@payment-intents/core'
import { getAddress } from 'viem'
import { checkOptions } from '../lib/checkOptions.ts'
import type { Authorizations } from './authorizations.ts'
import type { Payment } from './store/bindPayment.ts'
import type { RecordedTransfer, Records } from './store/records.ts'
import type { VirtualChain } from './virtualChain.ts'

export type TestPayment = {
  /** Smallest token units; by default the amount that the checkout requests: the price with a reference, the payable amount by hand. */
  amount_units?: number
  /** Confirmations of the payment afterwards, including its own block; the required number by default. */
  confirmations?: number
  /** `manual` is a bare transfer, as made by hand; `reference`, the default, is a transfer of the checkout. */
  rail?: 'reference' | 'manual'
  from?: Address
}

export type TestUnderpayment = {
  /** The amount by which the payment is less than `amount_units`; half of it by default. */
  missing_units?: number
  from?: Address
}

export type TestTransfer = {
  amount_units: number
  /** The merchant's default chain by default. */
  chain?: Chain
  /** The merchant's wallet on that chain by default. */
  to?: Address
  from?: Address
}

export type TestPayout = {
  amount_units: number
  to: Address
  /** The merchant's default chain by default. */
  chain?: Chain
  /** The merchant's wallet on that chain by default. */
  from?: Address
}

/** Simulates the chain. Each method returns the state afterwards. */
export type Simulation = {
  /** Pays an intent in a new block. By default it succeeds. */
  pay(intentId: string, payment?: TestPayment): RetrievedPaymentIntent
  /** Pays less than the amount due, in a new block. */
  underpay(intentId: string, payment?: TestUnderpayment): RetrievedPaymentIntent
  /** Lets the deadline pass if it has not, then pays in a new block. */
  payLate(intentId: string, payment?: TestPayment): RetrievedPaymentIntent
  /** Adds blocks to the intent's chain; by default as many as the payment lacks, at least one. The first holds authorized payments. */
  confirm(intentId: string, blocks?: number): RetrievedPaymentIntent
  /** Replaces the block of the latest payment and all later blocks by empty blocks. */
  reorg(intentId: string): RetrievedPaymentIntent
  /** Makes a bare transfer to a wallet, which may match no intent. */
  transfer(transfer: TestTransfer): Transfer
  /**
   * Makes a transfer of the merchant in a new block, such as the payment of a refund by hand.
   *
   * @returns the transaction's hash, to be attached
   */
  payOut(payout: TestPayout): string
  /** Adds blocks to the refund's chain; by default as many as it requires. The first holds signed refunds. */
  confirmRefund(refundId: string, blocks?: number): ListedRefund
}

const paymentOptions: OptionNames<TestPayment> = {
  ...{ amount_units: true, confirmations: true, rail: true, from: true },
}
const underpaymentOptions: OptionNames<TestUnderpayment> = { missing_units: true, from: true }
const payoutOptions: OptionNames<TestPayout> = {
  ...{ amount_units: true, to: true, chain: true, from: true },
}
const transferOptions: OptionNames<TestTransfer> = {
  ...{ amount_units: true, chain: true, to: true, from: true },
}

const anyone: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export function createSimulation(
  { merchant, intents, refunds, clock }: Records,
  authorizations: Authorizations,
  chain: VirtualChain,
): Simulation {
  function find(intentId: string): Intent {
    const intent = intents.get(intentId)
    if (intent) return intent
    throw new Error(`There is no payment intent ${intentId} in this test service; create it first.`)
  }

  function show(intentId: string): RetrievedPaymentIntent {
    return JSON.parse(presentInEvent(find(intentId)))
  }

  function send(payment: Payment): RecordedTransfer {
    if (payment.amount <= 0n) throw new Error('A payment needs an amount above zero.')
    const { from, to } = payment
    if (from === to) throw new Error(`${getAddress(to)} pays itself, which moves no money.`)
    const sent = chain.transfer(payment)
    if (sent) return sent
    const why = 'no payment intent expects money there, or expected it within the last day'
    throw new Error(`The service does not watch ${getAddress(to)} on ${payment.chain}: ${why}.`)
  }

  /** The number of blocks until a payment has enough confirmations. */
  function lacking(intent: Intent): number {
    // The next block holds the authorized payment.
    if (authorizations.isInFlight(intent.id)) return intent.confirmationsRequired
    const last = payingTransfers(intent)?.at(-1)
    if (last) return Math.max(1, intent.confirmationsRequired - chain.depthOf(intent, last))
    const advice = 'pay it first, or accept what was received'
    throw new Error(`${intent.id} is ${intent.status} and has nothing to confirm: ${advice}.`)
  }

  function pay(intentId: string, payment: TestPayment = {}): RetrievedPaymentIntent {
    const intent = find(intentId)
    const { confirmations = intent.confirmationsRequired, rail, from = anyone } = payment
    const price = rail === 'manual' ? intent.payable : intent.amount
    const missing = price - received(intent)
    const due = missing > 0n ? missing : price
    send({
      chain: intent.chain,
      from: lowerCase(from),
      to: intent.wallet,
      amount: BigInt(payment.amount_units ?? due),
      reference: rail === 'manual' ? null : intent.reference,
    })
    chain.mine(intent.chain, confirmations - 1)
    return show(intentId)
  }

  return {
    pay(intentId, payment = {}) {
      checkOptions('pay', payment, paymentOptions)
      return pay(intentId, payment)
    },
    underpay(intentId, options = {}) {
      checkOptions('underpay', options, underpaymentOptions)
      const { missing_units, ...payment } = options
      const { amount } = find(intentId)
      const missing = BigInt(missing_units ?? (amount + 1n) / 2n)
      if (missing <= 0n || missing >= amount) {
        throw new Error(`missing_units must be from 1 to ${amount - 1n}, less than the amount.`)
      }
      const amount_units = Number(amount - missing)
      return pay(intentId, { ...payment, amount_units, confirmations: 1 })
    },
    payLate(intentId, payment = {}) {
      checkOptions('payLate', payment, paymentOptions)
      const late = (find(intentId).expiresAt + 1) * 1000
      if (clock.now < late) chain.advance(late - clock.now)
      return pay(intentId, { confirmations: 1, ...payment })
    },
    confirm(intentId, blocks) {
      const intent = find(intentId)
      chain.mine(intent.chain, blocks ?? lacking(intent))
      return show(intentId)
    },
    reorg(intentId) {
      const { chain: name, transfers } = find(intentId)
      const last = transfers.at(-1)
      if (!last) throw new Error(`${intentId} has received nothing that a reorg could take back.`)
      chain.reorg(name, Number(last.blockNumber))
      return show(intentId)
    },
    transfer(options) {
      checkOptions('transfer', options, transferOptions)
      const { amount_units, chain: name = merchant.defaultChain ?? 'base', from } = options
      const { to = merchant.wallets[name] } = options
      if (!to)
        throw new Error(
          `The merchant has no wallet on ${name}; pass \`to\`, the address that receives it.`,
        )
      const sent = send({
        chain: name,
        from: lowerCase(from ?? anyone),
        to: lowerCase(to),
        amount: BigInt(amount_units),
        reference: null,
      })
      return presentTransfer(sent, chainFactsOf(sent.chainId))
    },
    payOut(options) {
      checkOptions('payOut', options, payoutOptions)
      const { amount_units, to, chain: name = merchant.defaultChain ?? 'base' } = options
      const { from = merchant.wallets[name] } = options
      if (!from)
        throw new Error(
          `The merchant has no wallet on ${name}; pass \`from\`, the address that pays.`,
        )
      const amount = BigInt(amount_units)
      if (amount <= 0n) throw new Error('A payout needs an amount above zero.')
      const accounts = { from: lowerCase(from), to: lowerCase(to) }
      return chain.payOut({ chain: name, ...accounts, amount, nonce: null })
    },
    confirmRefund(refundId, blocks) {
      const refund = refunds.get(refundId)
      if (!refund) throw new Error(`There is no refund ${refundId} in this test service.`)
      chain.mine(refund.chain, blocks ?? refund.confirmationsRequired)
      return JSON.parse(presentInRefundEvent(refunds.get(refundId) ?? refund))
    },
  }
}

function lowerCase(address: Address): Address {
  return address.toLowerCase() as Address
}

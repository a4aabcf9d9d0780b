import type { Intent } from '../../src/service/parseIntent.ts'
import type { Requests, ServiceTransport } from '../../src/service/post.ts'
import { authorization, gaslessIntent, intent } from '../support/testIntents.ts'

export type Payment = { hash: string; units: number; isDetected: boolean }

export type Service = ReturnType<typeof createService>

/** A service with one intent, which sees payments on demand and holds requests as the real service does. */
export function createService(offers: 'gasless' | 'transfers' = 'transfers') {
  let current: Intent = offers === 'gasless' ? gaslessIntent() : intent()
  let dropsResponses = false
  let isDown = false
  const payments: Payment[] = []
  const waiting = new Set<() => void>()

  function change(changes: Partial<Intent>) {
    current = { ...current, ...changes, version: current.version + 1 }
    for (const wake of [...waiting]) wake()
  }

  function see(payment: Payment) {
    payment.isDetected = true
    const { hash, units } = payment
    if (units < Number(current.price_units)) {
      const near_misses = [{ tx_hash: hash, amount_units: units }, ...current.near_misses]
      change({ near_misses })
      return
    }
    const paid = { tx_hash: hash as `0x${string}`, amount_received_units: units }
    const isOpen = current.status === 'requires_payment'
    if (isOpen) change({ ...paid, status: 'pending_confirmations', confirmations: 1 })
    else if (!current.tx_hash) change({ ...paid, exceptions: ['late'] })
    else change({ exceptions: [...current.exceptions, 'multiple'] })
  }

  const serviceTransport: ServiceTransport = async (operation, request, signal) => {
    signal.throwIfAborted()
    if (operation === 'authorize') return authorize(request as Requests['authorize'])
    return resolve(request as Requests['resolve'], signal)
  }

  async function resolve(request: Requests['resolve'], signal: AbortSignal): Promise<Response> {
    if (isDown) throw new TypeError('unreachable')
    if ((request.after_version ?? 0) >= current.version)
      await news(request.wait_seconds ?? 0, signal)
    if (isDown) throw new TypeError('unreachable')
    return respond(200, { ...current, server_time: new Date().toISOString() })
  }

  function respond(status: number, body: object): Response {
    const text = async () => JSON.stringify(body)
    return { status, headers: new Headers(), text } as Response
  }

  /** Like the real service: one account's authorization at a time, each once; a retry gets the same response. */
  async function authorize(request: Requests['authorize']): Promise<Response> {
    if (isDown) throw new TypeError('unreachable')
    const { from } = request.authorization
    const refuse = (reason: string) => respond(409, { error: 'conflict', reason })
    if (current.authorization?.from !== from) {
      if (current.authorization?.status === 'in_flight') return refuse('payment_in_flight')
      if (current.status !== 'requires_payment') return refuse('intent_expired')
      change({ authorization: authorization({ from: from as `0x${string}` }) })
    }
    if (dropsResponses) throw new TypeError('unreachable')
    return respond(200, {})
  }

  function news(seconds: number, signal: AbortSignal) {
    return new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        waiting.delete(wake)
      }
      const wake = () => {
        end()
        resolve()
      }
      const timer = setTimeout(wake, seconds * 1000)
      waiting.add(wake)
      signal.addEventListener('abort', () => {
        end()
        reject(signal.reason)
      })
    })
  }

  const isInFlight = () => current.authorization?.status === 'in_flight'
  const end = (status: 'used' | 'refused' | 'expired') =>
    current.authorization && change({ authorization: { ...current.authorization, status } })

  return {
    sendToService: serviceTransport,
    payments,
    isInFlight,
    /** The relayer broadcasts the submitted authorization, or gives it up. */
    relay(how: 'submit' | 'refuse') {
      if (!isInFlight()) return
      if (current.status === 'expired') return end('expired')
      if (how === 'refuse') return end('refused')
      payments.push({
        hash: `0x${'aa'.repeat(32)}`,
        units: Number(current.price_units),
        isDetected: false,
      })
      end('used')
    },
    /** Another device of the payer submits an authorization, if it can. */
    submitElsewhere(): boolean {
      if (isDown || !current.gasless || current.authorization) return false
      if (current.status !== 'requires_payment') return false
      change({ authorization: authorization({ from: `0x${'33'.repeat(20)}` }) })
      return true
    },
    dropResponses(value: boolean) {
      dropsResponses = value
    },
    status: () => current.status,
    pay(hash: string, units: number) {
      payments.push({ hash, units, isDetected: false })
    },
    /** Whether a transaction is in a block. */
    holds: (hash: unknown) => payments.some((payment) => payment.hash === hash),
    seeAll() {
      for (const payment of payments) if (!payment.isDetected) see(payment)
    },
    confirm() {
      if (current.status === 'pending_confirmations')
        change({ status: 'succeeded', confirmations: 5 })
    },
    end(status: 'expired' | 'canceled') {
      if (current.status !== 'requires_payment') return
      if (status === 'canceled' && isInFlight()) return
      change({ status })
    },
    setDown(value: boolean) {
      isDown = value
      if (value) for (const wake of [...waiting]) wake()
    },
  }
}

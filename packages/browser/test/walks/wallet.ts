import type { EIP1193Provider } from '../../src/checkoutOptions.ts'
import { payer } from '../support/scriptedProvider.ts'
import type { Service } from './walkService.ts'

/** How the wallet's owner settles an open request, and what the page gets. */
export const outcomes = [
  'approve',
  'approve, never respond',
  'approve, return an error',
  'approve, return a hash of no transaction',
  'return a hash of no transaction, send later',
  'return an error, keep prompting',
  'return an error, send nothing',
  'refuse as unsupported',
  'refuse as busy, keep prompting',
  'revert',
  'decline',
] as const
export type Outcome = (typeof outcomes)[number]

type OpenRequest = { units: number; respond: (respond: () => unknown) => void; id: string | null }

/** A `half` wallet cannot do what its kind says; a `failing signer` returns an invalid signature. */
export const kinds = [
  ...(['plain', 'contract', 'batch', 'half batch'] as const),
  ...(['signer', 'half signer', 'failing signer', 'contract signer'] as const),
] as const
export type Kind = (typeof kinds)[number]

/** One browser's wallet: it outlives a page, as an extension does; responses to a closed page are lost. */
export function createWallet(service: Service, kind: Kind) {
  /** Invariant: each may still be approved, regardless of the response that the page got. */
  const openRequests: OpenRequest[] = []
  /** Requests to sign, which pay nothing by themselves. */
  const openSignatures: ((outcome: Outcome) => void)[] = []
  const reverted = new Set<string>()
  const batches = new Map<string, 'pending' | 'sent'>()
  let holdsConnections = false
  const connecting: (() => void)[] = []
  let hashes = 0
  const newHash = () => `0x${(++hashes).toString(16).padStart(64, '0')}`

  function send({ units }: OpenRequest) {
    const hash = newHash()
    service.pay(hash, units)
    return hash
  }

  const signed = `0x${'11'.repeat(65)}`
  const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
  const reads: Record<string, (params: { data: string }[]) => unknown> = {
    eth_chainId: () => '0x14a34',
    eth_getCode: () => (/contract/.test(kind) ? '0xef01' : '0x'),
    eth_getBalance: () => '0xde0b6b3a7640000',
    eth_estimateGas: () => '0xffff',
    eth_gasPrice: () => '0xffff',
    eth_call: ([call]) => word(call?.data.startsWith('0x70a08231') ? 10 ** 12 : 0),
    eth_getTransactionCount: () => '0x7',
    eth_getTransactionByHash: ([hash]) =>
      service.holds(hash) || reverted.has(String(hash)) ? { nonce: '0x7' } : null,
    eth_getTransactionReceipt([hash]) {
      if (reverted.has(String(hash))) return { status: '0x0' }
      return service.holds(hash) ? { status: '0x1' } : null
    },
  }

  /** The provider for a page; `isClosed` once the page is closed. */
  function providerOf(isClosed: () => boolean): EIP1193Provider {
    const queueTransfer = (data: string, id: string | null) =>
      new Promise((resolve, reject) => {
        openRequests.push({
          id,
          units: Number(BigInt(`0x${data.slice(74, 138)}`)),
          respond(deliver) {
            if (isClosed()) return
            try {
              resolve(deliver())
            } catch (error) {
              reject(error)
            }
          },
        })
      })
    const queueSignature = (message: { value: string; nonce: string }) =>
      new Promise((resolve, reject) => {
        if (message.value !== '25000000') throw new Error('This is not the price.')
        openSignatures.push((outcome) => {
          if (isClosed() || outcome === 'approve, never respond') return
          if (outcome === 'decline') reject({ code: 4001 })
          else if (/busy/.test(outcome)) reject({ code: -32002 })
          else if (/unsupported/.test(outcome)) reject({ code: 4200 })
          else if (/error/.test(outcome)) reject({ code: -32603 })
          else resolve(/hash/.test(outcome) ? null : outcome === 'revert' ? '0x' : signed)
        })
      })
    return {
      async request({ method, params = [] }) {
        if (isClosed()) return new Promise(() => {})
        const list = params as { data: string; id: string; calls: { data: string }[] }[]
        const [first] = list
        if (method === 'eth_requestAccounts') {
          if (holdsConnections) await new Promise<void>((resolve) => connecting.push(resolve))
          return isClosed() ? new Promise(() => {}) : [payer]
        }
        if (method === 'eth_sendTransaction') return queueTransfer(first?.data ?? '', null)
        const read = reads[method]
        if (read) return read(list)
        if (method === 'eth_signTypedData_v4' && /^(contract )?signer$/.test(kind)) {
          return queueSignature(JSON.parse(String(list[1])).message)
        }
        if (method === 'eth_signTypedData_v4' && kind === 'failing signer') return '0x'
        if (kind !== 'batch' && kind !== 'half batch') throw { code: 4200 }
        if (method === 'wallet_getCapabilities') {
          return { '0x14a34': { atomic: { status: 'supported' } } }
        }
        if (method === 'wallet_getCallsStatus') {
          // The wallet does not know a batch before it is approved.
          if (batches.get(String(list[0])) === 'sent') return { status: 100 }
          throw { code: 5730 }
        }
        if (method !== 'wallet_sendCalls') throw { code: 4200 }
        if (kind === 'half batch') throw { code: -32602 }
        // The wallet refuses only a sent batch: it may prompt twice for the same batch.
        if (batches.get(first?.id ?? '') === 'sent') throw { code: 5720 }
        return queueTransfer(first?.calls[0]?.data ?? '', first?.id ?? '')
      },
    }
  }

  /** @param order of requests: signatures are settled before transfers */
  function settle(outcome: Outcome, order: 'oldest' | 'newest' = 'oldest'): void {
    const take = <Of>(list: Of[]) => (order === 'oldest' ? list.shift() : list.pop())
    const sign = take(openSignatures)
    if (sign) sign(outcome)
    const request = sign ? undefined : take(openRequests)
    const deliver = request && decide(request, outcome)
    if (deliver) request.respond(deliver)
  }

  /** Applies the owner's decision and returns the response to the page, or `null` for no response. */
  function decide(request: OpenRequest, outcome: Outcome): (() => unknown) | null {
    const reply = (hash: string) => () => (request.id ? { id: request.id } : hash)
    const fail = (code: number) => () => {
      throw { code }
    }
    if (/^approve/.test(outcome)) {
      if (request.id) batches.set(request.id, 'sent')
      const hash = send(request)
      if (outcome === 'approve') return reply(hash)
      if (outcome === 'approve, never respond') return null
      return outcome === 'approve, return an error' ? fail(-32603) : reply(newHash())
    }
    if (outcome === 'decline') return fail(4001)
    if (outcome === 'refuse as unsupported') return fail(4200)
    if (outcome === 'return an error, send nothing') return fail(-32603)
    if (outcome === 'revert' && !request.id) {
      const hash = newHash()
      reverted.add(hash)
      return reply(hash)
    }
    // All others may still pay, regardless of the response that the page gets.
    openRequests.push(request)
    // An error of the wallet itself ends the request for a batch: it has refused the only batch with this id.
    if (outcome === 'return an error, keep prompting') return fail(request.id ? 4900 : -32603)
    return outcome === 'refuse as busy, keep prompting' ? fail(-32002) : reply(newHash())
  }

  return {
    providerOf,
    settle,
    /** Number of requests that may still be approved, and then pay. */
    openRequests: () => openRequests.length,
    openSignatures: () => openSignatures.length,
    holdConnections() {
      holdsConnections = true
    },
    connect() {
      holdsConnections = false
      for (const go of connecting.splice(0)) go()
    },
  }
}

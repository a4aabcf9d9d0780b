import type { EIP1193Provider } from '../../src/checkoutOptions.ts'

type ScriptedReply = unknown | ((params: readonly unknown[]) => unknown)
type Call = { method: string; params: readonly unknown[] }

/**
 * A wallet's provider that follows a script: per method one reply, or a list of replies, in order with the last
 * repeated. It throws a reply made by `refuse`, and refuses a method without a reply with 4200.
 */
export function scriptedProvider(script: Record<string, ScriptedReply | ScriptedReply[]>) {
  const calls: Call[] = []
  const callCounts = new Map<string, number>()
  const provider: EIP1193Provider = {
    async request({ method, params = [] }) {
      const list = params as readonly unknown[]
      calls.push({ method, params: list })
      if (!(method in script)) throw { code: 4200, message: `no ${method}` }
      const replies = script[method]
      const index = callCounts.get(method) ?? 0
      callCounts.set(method, index + 1)
      const reply = Array.isArray(replies) ? replies[Math.min(index, replies.length - 1)] : replies
      const value = typeof reply === 'function' ? reply(list) : reply
      if (isRefusal(value)) throw value[refused]
      return value
    },
  }
  const methods = () => calls.map(({ method }) => method)
  return { provider, calls, methods }
}

const refused = Symbol('refused')
type Refusal = { [refused]: unknown }

export function refuse(error: unknown): Refusal {
  return { [refused]: error }
}

function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && refused in value
}

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

/** The results of `eth_call` by selector: balanceOf, paused, isBlacklisted. */
export function token({ balance = 10n ** 12n, paused = 0n, blocked = 0n, only = '' } = {}) {
  return ([call]: readonly unknown[]) => {
    const { data } = call as { data: string }
    if (data.startsWith('0x70a08231')) return word(balance)
    if (data.startsWith('0x5c975abb')) return word(paused)
    if (data.startsWith('0xa9059cbb')) return word(1n)
    return word(data.endsWith(only.slice(2)) ? blocked : 0n)
  }
}

/** The results of `eth_call` for a token that refuses the transfer itself. */
export function reverts(error: unknown) {
  return ([call]: readonly unknown[]) =>
    (call as { data: string }).data.startsWith('0xa9059cbb') ? refuse(error) : token()([call])
}

export const payer = `0x${'22'.repeat(20)}`

/** A wallet on the right chain, with enough money, that approves everything. */
export function willing(changes: Record<string, ScriptedReply | ScriptedReply[]> = {}) {
  return scriptedProvider({
    eth_requestAccounts: [[payer]],
    eth_chainId: '0x14a34',
    eth_call: token(),
    eth_getCode: '0x',
    eth_getBalance: '0xde0b6b3a7640000',
    eth_estimateGas: '0xffff',
    eth_gasPrice: '0x3b9aca00',
    eth_sendTransaction: `0x${'cd'.repeat(32)}`,
    ...changes,
  })
}

import { toJson } from '../lib/toJson.ts'
import { isHash } from '../wallet/encodeTransfer.ts'

/** A request to a wallet whose outcome is not proven. */
export type WalletRequest = {
  readonly id: string
  /** In the token's smallest units. */
  readonly amount: bigint
  /** By this browser's clock, in milliseconds. */
  readonly requestedAt: number
  /**
   * `duplicate`: the wallet had sent the same before. `signed`: this checkout is submitting an authorization, which is `sent` once the
   * service has it.
   */
  readonly result: 'none' | 'signed' | 'sent' | 'duplicate'
  readonly txHash: string | null
  readonly batchId: string | null
  /** Set if the wallet is to sign (EIP-3009), with Unix seconds; `null` for a transfer. */
  readonly authorization: { readonly from: string; readonly validBefore: number } | null
}

const prefix = 'payment-intents:'
/** Outlasts every intent, including the day in which late payments are detected. */
const retentionMs = 30 * 86_400_000

const results = ['signed', 'sent', 'duplicate'] as const

/** By key, when storage is unavailable; lost on reload. */
const unstored = new Map<string, string>()
const listeners = new Set<(intentId: string) => void>()

/** The stored requests of an intent, oldest first. */
export function readRequests(intentId: string): readonly WalletRequest[] {
  const key = prefix + intentId
  const list = attempt(() => JSON.parse(unstored.get(key) ?? localStorage.getItem(key) ?? '[]'))
  return Array.isArray(list) ? list.flatMap(parse) : []
}

/**
 * Stores a request, replacing the request with its id, so that neither a reload nor another tab requests the money again. The client secret
 * is never stored.
 */
export function storeRequest(intentId: string, request: WalletRequest): void {
  const others = readRequests(intentId).filter(({ id }) => id !== request.id)
  dropOld(request.requestedAt)
  write(intentId, [...others, request])
}

/** Removes these stored requests of an intent. */
export function forgetRequests(intentId: string, ids: readonly string[]): void {
  const all = readRequests(intentId)
  const rest = all.filter(({ id }) => !ids.includes(id))
  if (rest.length < all.length) write(intentId, rest)
}

/** Calls back when requests of an intent are stored or removed, in this or another tab. */
export function onRequestsChange(signal: AbortSignal, callback: (intentId: string) => void): void {
  const listen = ({ key }: StorageEvent) => {
    if (key?.startsWith(prefix)) callback(key.slice(prefix.length))
  }
  window.addEventListener('storage', listen, { signal })
  listeners.add(callback)
  signal.addEventListener('abort', () => listeners.delete(callback))
}

function write(intentId: string, requests: readonly WalletRequest[]): void {
  const key = prefix + intentId
  const text = toJson(requests)
  unstored.set(key, text)
  try {
    if (requests.length > 0) localStorage.setItem(key, text)
    else localStorage.removeItem(key)
    unstored.delete(key)
  } catch (error) {
    console.warn('The checkout cannot store wallet requests: a reload forgets them.', error)
  }
  for (const listener of [...listeners]) listener(intentId)
}

function dropOld(now: number): void {
  attempt(() => {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(prefix)) continue
      const newest = readRequests(key.slice(prefix.length)).at(-1)
      if (!newest || newest.requestedAt < now - retentionMs) localStorage.removeItem(key)
    }
  })
}

/** Validates a stored value: any script of the page's origin may have written it. */
function parse(value: unknown): WalletRequest[] {
  const { id, amount, requestedAt, result, txHash, batchId, authorization } = (value ??
    {}) as Stored
  if (typeof id !== 'string' || !/^\d{1,30}$/.test(String(amount))) return []
  return [
    {
      id,
      amount: BigInt(String(amount)),
      requestedAt: Number(requestedAt) || 0,
      result: results.find((candidate) => candidate === result) ?? 'none',
      txHash: isHash(txHash) ? txHash : null,
      batchId: typeof batchId === 'string' ? batchId : null,
      authorization: parseAuthorization(authorization),
    },
  ]
}

function parseAuthorization(value: unknown): WalletRequest['authorization'] {
  const { from, validBefore } = (value ?? {}) as { from?: unknown; validBefore?: unknown }
  if (typeof from !== 'string') return null
  return { from, validBefore: Number(validBefore) || Number.POSITIVE_INFINITY }
}

type Stored = { [Key in keyof WalletRequest]?: unknown }

// Storage may be denied or full.
function attempt<Value>(use: () => Value): Value | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}

import { createClient, isPaymentIntentsError } from '@payment-intents/node'
import type { Call } from '../row.ts'

export type Work = {
  readonly apiKey: string
  /** Milliseconds after which a call that has not ended is given up. */
  readonly patience: number
  readonly calls: readonly (Call & { readonly url: string })[]
}

/** How one call ended, as its caller saw it. */
export type Report = {
  readonly ending:
    | { readonly type: 'fulfilled'; readonly value: unknown }
    | {
        readonly type: 'typed'
        readonly code: string
        readonly attempts: number
        readonly idempotencyKey: string | undefined
      }
    /** It threw something other than the package's errors. */
    | { readonly type: 'raw' }
    | { readonly type: 'hangs' }
  readonly milliseconds: number
  /** All that could end up in a log. */
  readonly output: string
}

const concurrency = 12

// Like most programs, at module load, where workerd allows no input, output or randomness.
createClient({ apiKey: 'sk_test_unused', baseUrl: 'http://127.0.0.1' })

/**
 * The program that runs in each runtime: makes the calls of the matrix and reports how they ended. It uses only what
 * every runtime has.
 *
 * @param control URL that serves `/work` and `/received/:index`, and takes `/report/:index`
 */
export async function runAgent(control: string): Promise<void> {
  const response = await fetch(`${control}/work`)
  const work = (await response.json()) as Work
  const indices = work.calls.keys()
  const carryOut = async (index: number) => {
    const report = await makeCall(control, work, index)
    await fetch(`${control}/report/${index}`, { method: 'POST', body: JSON.stringify(report) })
  }
  // Alone, since the first call also loads and compiles everything.
  await carryOut(indices.next().value ?? 0)
  const worker = async () => {
    for (const index of indices) await carryOut(index)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

async function makeCall(control: string, work: Work, index: number): Promise<Report> {
  const call = work.calls[index]
  if (!call) throw new Error(`There is no call ${index}.`)
  const { url: baseUrl, abort, idempotencyKey, keyless, ...limits } = call
  const apiKey = keyless ? undefined : work.apiKey
  const logged: unknown[] = []
  const log = (...entry: unknown[]) => void logged.push(entry)
  const controller = new AbortController()
  const { signal } = controller
  const leave = () => controller.abort(new Error('the shopper left'))
  const create = async () => {
    const client = createClient({
      ...{ apiKey, baseUrl, signal, logger: { debug: log, warn: log }, ...limits },
      onRetry(event) {
        log(event)
        if (abort === 'in_back_off') setTimeout(leave, 0)
      },
    })
    logged.push(client)
    const options = idempotencyKey === undefined ? {} : { idempotencyKey }
    return client.createPaymentIntent({ amount_units: 25_000_000 }, options)
  }
  if (abort === 'before') leave()
  if (abort === 'in_flight') fetch(`${control}/received/${index}`).then(leave, leave)

  const startedAt = performance.now()
  const ending = await inTime(work.patience, create())
  const milliseconds = Math.round(performance.now() - startedAt)
  const { type } = ending
  const output = type === 'raw' || type === 'typed' ? printed([ending.error, logged]) : ''
  if (type === 'fulfilled' || type === 'hangs') return { ending, milliseconds, output }
  if (type === 'raw') return { ending: { type }, milliseconds, output }
  const { code, attempts, idempotencyKey: sentKey } = ending.error
  return { ending: { type, code, attempts, idempotencyKey: sentKey }, milliseconds, output }
}

async function inTime(patience: number, call: Promise<unknown>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const hangs = new Promise<{ type: 'hangs' }>((resolve) => {
    timer = setTimeout(() => resolve({ type: 'hangs' }), patience)
  })
  const ends = call.then(
    (value) => ({ type: 'fulfilled' as const, value }),
    (error: unknown) =>
      isPaymentIntentsError(error)
        ? { type: 'typed' as const, error }
        : { type: 'raw' as const, error },
  )
  try {
    return await Promise.race([ends, hangs])
  } finally {
    clearTimeout(timer)
  }
}

/** Every string reachable from a value, enumerable or not. */
function printed(value: unknown, visited = new Set<unknown>()): string {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    return String(value)
  }
  if (visited.has(value)) return ''
  visited.add(value)
  const properties = Reflect.ownKeys(value).map((key) => {
    const { value: inner } = Reflect.getOwnPropertyDescriptor(value, key) ?? {}
    return `${String(key)}: ${printed(inner, visited)}`
  })
  return `${value instanceof Error ? String(value) : ''} ${properties.join('\n')}`
}

import type { DatabaseSync } from 'node:sqlite'
import type { Client, RefundSigner } from '@payment-intents/node'
import { findUnsigned } from '../db/refunds.ts'
import { signRefund } from './signRefund.ts'

/**
 * Creates a function that signs the refunds that wait for a signature, one run after the other. A failed refund waits
 * for the next run.
 */
export function createSignWaiting(deps: {
  readonly client: Client
  readonly db: DatabaseSync
  readonly signer: RefundSigner
  readonly signal: AbortSignal
  log(sentence: string): void
}): () => Promise<void> {
  const { db, signal, log } = deps
  let last = Promise.resolve()
  return () => {
    last = last.then(run).catch((error: Error) => log(`Refunds are not signed: ${error.stack}`))
    return last
  }

  async function run(): Promise<void> {
    if (signal.aborted) return
    for (const refund of findUnsigned(db)) {
      await signRefund(deps, refund, { signal }).catch((error: Error) => {
        if (!signal.aborted) log(`${refund.id} is not signed yet: ${error.message}`)
      })
    }
  }
}

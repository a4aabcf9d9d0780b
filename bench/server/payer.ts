/** An honest payer in a process of its own: a load in its process would delay its clock. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Load, paced, type Request } from './load.ts'

type Payer = {
  readonly url: string
  readonly perSecond: number
  readonly seconds: number
  /** Sent in turn. */
  readonly requests: readonly Request[]
}

/** The payer's requests before the measurement, for its own start. */
const warmUpSeconds = 2

/** Starts a payer, and resolves when its measurement begins. */
export async function startPayer(payer: Payer): Promise<{ load: Promise<Load> }> {
  const child = fork(fileURLToPath(import.meta.url), ['payer'])
  child.send(payer)
  await once(child, 'message')
  return { load: once(child, 'message').then(([load]) => load as Load) }
}

if (process.argv[2] === 'payer') {
  process.once('message', async ({ url, perSecond, seconds, requests }: Payer) => {
    const request = (index: number) => requests[index % requests.length] as Request
    await paced(url, { perSecond, seconds: warmUpSeconds, request })
    process.send?.('begins')
    process.send?.(await paced(url, { perSecond, seconds, request }))
    process.disconnect()
  })
}

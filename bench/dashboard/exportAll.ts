import type { Process } from '../server/serverSetting.ts'

export type Export = {
  /** Until the first bytes of the file arrive. */
  readonly firstMs: number
  readonly msOfThousand: number
  readonly rows: number
  /** Megabytes by which the server's resident set grows meanwhile, at most. */
  readonly memory: number
}

/** Reads an export of everything to its end. */
export async function exportAll(server: Process, apiKey: string, what: string): Promise<Export> {
  const before = server.memory()
  const begun = performance.now()
  const response = await fetch(`${server.url}/v1/export?what=${what}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  if (!response.ok || !response.body) throw new Error(`${what}: ${response.status}`)
  let firstMs = Number.NaN
  let memory = 0
  let lines = 0
  for await (const piece of response.body) {
    if (Number.isNaN(firstMs)) firstMs = performance.now() - begun
    memory = Math.max(memory, server.memory() - before)
    for (const byte of piece) if (byte === 10) lines += 1
  }
  // Without the heading.
  const rows = lines - 1
  return { firstMs, msOfThousand: ((performance.now() - begun) / rows) * 1_000, rows, memory }
}

import { gzipSync } from 'node:zlib'
import { type Bundle, bundleProgram } from './bundleProgram.ts'
import type { Checkout } from './checkouts.ts'
import { installPeer } from './installPeer.ts'

/** Bytes after `gzip -9`, each file for itself. */
export type Weight = {
  readonly first: number
  /** null: unknown what an opening fetches of the rest. */
  readonly opened: number | null
  readonly all: number
}

/** The bytes of a page with this checkout. */
export async function weigh({ program, from, idle }: Checkout): Promise<Weight> {
  const folder = 'npm' in from ? await installPeer(from.npm) : from.folder
  const bundled = await bundleProgram({ program, folder, ...(idle && { idle }) })
  const { first, opened, all } = bundled
  return {
    first: sum(bundled, first),
    opened: opened ? sum(bundled, opened) : null,
    all: sum(bundled, all),
  }
}

export function gzipped(content: Uint8Array): number {
  return gzipSync(content, { level: 9 }).length
}

function sum({ files }: Bundle, names: readonly string[]): number {
  return names.reduce((bytes, name) => {
    const content = files.get(name)
    if (!content) throw new Error(`esbuild made no ${name}.`)
    return bytes + gzipped(content)
  }, 0)
}

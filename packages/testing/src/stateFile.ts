import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Seconds between two dumps: what a power cut may take away. Saving 20,000 blocks takes anvil about 0.2 s. */
const intervalSeconds = 30

/**
 * The arguments that make anvil continue from `path` and save to it.
 *
 * Anvil truncates the file it saves to and then writes it, so it is given a file beside: the state at `path`
 * is always whole, and a start takes over the newer one where that was written to its end.
 */
export function stateArguments(path: string): string[] {
  const state = resolve(path)
  const next = `${state}.next`
  mkdirSync(dirname(state), { recursive: true })
  if (existsSync(next)) {
    if (isWhole(next)) renameSync(next, state)
    else rmSync(next)
  }
  const save = ['--dump-state', next, '--state-interval', String(intervalSeconds)]
  return existsSync(state) ? ['--load-state', state, ...save] : save
}

function isWhole(path: string): boolean {
  try {
    JSON.parse(readFileSync(path, 'utf8'))
    return true
  } catch {
    return false
  }
}

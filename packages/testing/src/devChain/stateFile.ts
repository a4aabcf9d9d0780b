import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Seconds between two dumps, and the most that a power cut loses. Saving 20,000 blocks takes anvil about 0.2 s. */
const intervalSeconds = 30

/**
 * The arguments that make anvil continue from `path` and save to it.
 *
 * Anvil truncates its file before writing it, so it saves to a second file. The file at `path` is always complete; a start
 * replaces it by the second file if that is complete.
 */
export function stateArguments(path: string): string[] {
  const state = resolve(path)
  const next = `${state}.next`
  mkdirSync(dirname(state), { recursive: true })
  if (existsSync(next)) {
    if (isComplete(next)) renameSync(next, state)
    else rmSync(next)
  }
  const save = ['--dump-state', next, '--state-interval', String(intervalSeconds)]
  return existsSync(state) ? ['--load-state', state, ...save] : [...save, ...newChain()]
}

/**
 * The first block is a minute old, so that the accounts get their tokens before any payment intent. After that the clock
 * shows the present.
 */
export function newChain(): string[] {
  return ['--timestamp', String(Math.floor(Date.now() / 1_000) - 60)]
}

function isComplete(path: string): boolean {
  try {
    JSON.parse(readFileSync(path, 'utf8'))
    return true
  } catch {
    return false
  }
}

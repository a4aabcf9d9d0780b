import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { anvilPath } from './anvilPath.ts'

export type Anvil = {
  /** Resolves when the process has ended, with the end of its stderr. */
  readonly ended: Promise<string>
  /** Ends anvil and its watchdog; anvil saves its state first. */
  stop(): Promise<void>
}

/**
 * Starts anvil under a watchdog, so that it never outlives this process.
 *
 * @param options.blockTime seconds between the blocks that anvil makes; the watchdog makes it mine fewer while nothing happens
 */
export function spawnAnvil(options: {
  args: readonly string[]
  url: string
  blockTime: number
  output: 'inherit' | 'ignore'
}): Anvil {
  const { args, url, blockTime, output } = options
  const watchdog = import.meta.url.endsWith('.ts') ? '../watchdog.ts' : './watchdog.js'
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL(watchdog, import.meta.url)),
      ...[url, String(blockTime), anvilPath(), ...args],
    ],
    {
      stdio: ['pipe', output, 'pipe'],
      // In its own process group: Ctrl-C reaches only the caller, which then stops the chain.
      detached: true,
      windowsHide: true,
      // The caller's flags (a debugger, a coverage tool) are not for the watchdog.
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  )
  const ended = collectUntilExit(child)
  return {
    ended,
    async stop() {
      child.stdin?.destroy()
      await ended
    },
  }
}

async function collectUntilExit(child: ChildProcess): Promise<string> {
  let tail = ''
  child.stderr?.on('data', (chunk) => {
    tail = (tail + chunk).slice(-2_000)
  })
  await once(child, 'close')
  return tail.trim()
}

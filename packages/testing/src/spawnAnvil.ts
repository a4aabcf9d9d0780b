import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { anvilPath } from './anvilPath.ts'

export type Anvil = {
  /** Settles when the process has ended, with the last of what it wrote to stderr. */
  readonly ended: Promise<string>
  /** Ends anvil and its watchdog; anvil saves its state first. */
  stop(): Promise<void>
}

/** Starts anvil under a watchdog, so that it never outlives this process. */
export function spawnAnvil(args: readonly string[], output: 'inherit' | 'ignore'): Anvil {
  const watchdog = import.meta.url.endsWith('.ts') ? './watchdog.ts' : './watchdog.js'
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL(watchdog, import.meta.url)), anvilPath(), ...args],
    {
      stdio: ['pipe', output, 'pipe'],
      // A group of its own: Ctrl-C in a terminal reaches the caller alone, which then stops the chain.
      detached: true,
      windowsHide: true,
      // Flags of the caller (a debugger, a coverage tool) are not the watchdog's.
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

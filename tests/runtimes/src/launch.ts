import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Runtime } from './runtimes.ts'

/** How the process that runs an agent ended. */
export type End =
  | { readonly type: 'by_itself'; readonly code: number | null; readonly stderr: string }
  /** The work of a server was done. */
  | { readonly type: 'ended' }
  /** It was idle for too long, or failed. */
  | { readonly type: 'killed'; readonly stderr: string }

/**
 * Runs an agent until it has ended, or kills it.
 *
 * @param control URL that the agent calls
 * @param idle aborted when it has done nothing for too long
 */
export async function launch(
  runtime: Runtime,
  executable: string,
  args: readonly string[],
  control: string,
  idle: AbortSignal,
): Promise<End> {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env
  const child = spawn(executable, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, XDG_CACHE_HOME, NO_COLOR: '1', ...quiet },
  })
  const closed = once(child, 'close')
  const stderr = collect(child)
  const serving = runtime.kind === 'server' ? serve(child, control) : new Promise<never>(() => {})
  try {
    const first = await Promise.race([
      closed.then(() => 'closed' as const),
      serving.then(
        () => 'served' as const,
        () => 'failed' as const,
      ),
      once(idle, 'abort').then(() => 'failed' as const),
    ])
    if (first === 'failed') return { type: 'killed', stderr: stderr() }
    if (first === 'served') return { type: 'ended' }
    return { type: 'by_itself', code: child.exitCode, stderr: stderr() }
  } finally {
    child.kill('SIGKILL')
    await closed
  }
}

/** Turns off update checks and telemetry. */
const quiet = { DO_NOT_TRACK: '1', DENO_NO_UPDATE_CHECK: '1' }

function collect(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text = (text + chunk).slice(-2_000)
  })
  return () => text.trim()
}

/** workerd reports its port on its control channel; one request then makes it run the agent. */
async function serve(child: ChildProcess, control: string): Promise<void> {
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { event, port } = JSON.parse(line)
    if (event !== 'listen') continue
    const { ok } = await fetch(`http://127.0.0.1:${port}/?control=${encodeURIComponent(control)}`)
    if (ok) return
    break
  }
  throw new Error('The agent failed.')
}

/**
 * Runs anvil, reduces its blocks while nothing happens, and ends it when this process's parent ends: the kernel then closes
 * the pipe on stdin, even after SIGKILL. SIGTERM lets anvil save its state.
 */
import { spawn } from 'node:child_process'
import { mineIdleBlocks } from './devChain/mineIdleBlocks.ts'

const [url, blockTime, program, ...args] = process.argv.slice(2)
if (!url || !program) throw new Error('Usage: watchdog.ts <url> <block time> <program> …')

/** Saving a long chain takes seconds on a busy machine. */
const graceMs = 60_000
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
child.on('exit', (code) => process.exit(code ?? 1))
if (Number.isInteger(Number(blockTime)) && Number(blockTime) > 0)
  void mineIdleBlocks(url, Number(blockTime))

process.stdin.resume()
process.stdin.on('error', end)
process.stdin.on('close', end)
process.on('SIGTERM', end)
process.on('SIGINT', end)

function end(): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
}

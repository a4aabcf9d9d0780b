import { commandLine } from '../../../src/commandLine.ts'

/** Runs a command in this process. Returns its output. */
export async function runHere(args: readonly string[], env: Readonly<Record<string, string>>) {
  const streams: Record<'stdout' | 'stderr', unknown[]> = { stdout: [], stderr: [] }
  const code = await commandLine({
    ...{ args, env },
    print: (text) => void streams.stdout.push(text),
    note: (text) => void streams.stderr.push(text),
  })
  const [printed, notes] = [
    streams.stdout.map(String).join('\n'),
    streams.stderr.map(String).join('\n'),
  ]
  return { code, printed, notes, output: code === 0 ? printed : notes }
}

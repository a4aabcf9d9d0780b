import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../tests/support/newFolder.ts'

const script = join(import.meta.dirname, 'clean.ts')
const leftovers = [
  'cache/payment-intents/chromium-1/chrome',
  'home/.foundry/anvil/tmp/anvil-state-1/block.json',
  'tmp/payment-intents-test-1/postgres/base',
  'tmp/payment-intents-test-1/program.mjs',
  'tmp/payment-intents-test-2',
]
const neighbors = [
  'cache/payment-intents.txt',
  'cache/pnpm/package',
  'home/.cache/payment-intents/file',
  'home/.foundry/anvil/cache/anvil-state-1',
  'home/.foundry/anvil/tmp/other',
  'tmp/of-others/payment-intents-test-1/file',
  'tmp/payment-intents-clone/.git/HEAD',
  // The server's programs, which root copies for another user.
  'tmp/payment-intents/postgres',
]

let folder: string

beforeEach(() => {
  folder = newFolder()
  for (const path of [...leftovers, ...neighbors]) write(path)
  symlinkSync(join(folder, 'cache/pnpm'), join(folder, 'tmp/payment-intents-test-1/link'))
})

test('removes what was left, and nothing beside it', async () => {
  writeFileSync(join(folder, leftovers[0] ?? ''), Buffer.alloc(2_400_000))
  expect(await clean()).toEqual({
    code: 0,
    printed: `\
Removed cache/payment-intents: 2 MB
Removed tmp/payment-intents-test-1: 1 kB
Removed tmp/payment-intents-test-2: 1 kB
Removed home/.foundry/anvil/tmp/anvil-state-1: 1 kB
`,
  })
  expect(files()).toEqual(neighbors)
  expect(await clean()).toEqual({ code: 0, printed: 'Nothing to remove.\n' })
})

test('works where nothing ever ran', async () => {
  folder = newFolder()
  expect(await clean()).toEqual({ code: 0, printed: 'Nothing to remove.\n' })
})

type Running = { readonly name: string; readonly uses: string; readonly start: () => number }

const used = 'tmp/payment-intents-test-1'
const running: Running[] = [
  {
    name: 'a process with a file from there',
    uses: used,
    start: () => {
      write(`${used}/program.mjs`, 'process.stdin.resume()')
      return start(process.execPath, [join(folder, used, 'program.mjs')])
    },
  },
  {
    name: 'a process whose working folder is there',
    uses: used,
    start: () => start('cat', [], { cwd: join(folder, used, 'postgres') }),
  },
  {
    name: 'an anvil of this home',
    uses: 'home/.foundry/anvil/tmp/anvil-state-1',
    start: () => start('cat', [], { argv0: '/opt/bin/anvil', env: environment() }),
  },
]

test.skipIf(process.platform !== 'linux').each(running)(
  'removes nothing beside $name',
  async ({ uses, start }) => {
    const before = files()
    const pid = start()
    const { code, printed } = await clean()
    expect(printed).toMatch(
      new RegExp(
        `^Nothing was removed: process ${pid} \\(.+\\) may use ${uses}\\. Stop it, .*\\n$`,
      ),
    )
    expect(code).toBe(1)
    expect(files()).toEqual(before)
  },
)

test('an anvil of another home is none of its business', async () => {
  start('cat', [], { argv0: '/opt/bin/anvil', env: { ...environment(), HOME: '/nowhere' } })
  expect(await clean()).toMatchObject({ code: 0 })
  expect(files()).toEqual(neighbors)
})

function environment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    TMPDIR: join(folder, 'tmp'),
  }
}

/** Runs until the test is over. */
function start(file: string, args: readonly string[], options: object = {}): number {
  const child = spawn(file, args, { stdio: ['pipe', 'ignore', 'ignore'], ...options })
  onTestFinished(async () => {
    child.stdin?.end()
    await once(child, 'close')
  })
  return child.pid ?? 0
}

/** Prints paths from the test's folder. */
function clean(): Promise<{ code: number; printed: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { env: environment() }, (error, stdout, stderr) =>
      resolve({
        code: error ? Number(error.code) : 0,
        printed: `${stdout}${stderr}`.replaceAll(`${folder}/`, ''),
      }),
    )
  })
}

function write(path: string, text = 'text'): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function files(): string[] {
  return [...leftovers, ...neighbors].filter((path) => existsSync(join(folder, path))).toSorted()
}

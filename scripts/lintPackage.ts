import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { pnpm } from './fetch/pnpm.ts'

/**
 * Checks the package of the working folder as it would be published: `lintPackage.ts [entry point without types …]`.
 * Both checks read one tarball of pnpm.
 */
const excludeEntrypoints = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'payment-intents-lint-package-'))
const tarball = join(folder, 'package.tgz')
try {
  await pnpm(['pack', '--out', tarball], process.cwd())
  const faults = await check(new Uint8Array(await readFile(tarball)))
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true })
}

async function check(packed: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: packed.buffer }, strict: true })
  const faults = messages.map(
    (message) => formatMessage(message, pkg, { color: false }) ?? message.code,
  )
  // The server is a program: it has no types.
  const types = await checkPackage(createPackageFromTarballData(packed), { excludeEntrypoints })
  const problems = types.types ? types.problems : []
  return [...faults, ...problems.map((problem) => JSON.stringify(problem))]
}

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pnpm } from './fetch/pnpm.ts'
import { runTool } from './runTool.ts'

/**
 * Checks the package of the working folder as it would be published: `lintPackage.ts [argument of attw …]`. Both
 * programs read one tarball; each would pack its own with npm, which takes longer than the checks.
 */
const { exports } = JSON.parse(await readFile('package.json', 'utf8'))
const folder = await mkdtemp(join(tmpdir(), 'lint-package-'))
const tarball = join(folder, 'package.tgz')
try {
  await pnpm(['pack', '--out', tarball], process.cwd())
  process.exitCode =
    (await runTool('publint', '--strict', tarball)) ||
    // The server is a program: it has no types.
    (exports === undefined ? 0 : await runTool('attw', tarball, ...process.argv.slice(2)))
} finally {
  await rm(folder, { recursive: true })
}

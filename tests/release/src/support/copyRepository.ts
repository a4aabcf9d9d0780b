import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Options, run } from './commands.ts'

const root = join(import.meta.dirname, '../../../..')

/** Git as a runner has it: nothing of this machine's user. */
export const git = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  ...{ GIT_AUTHOR_NAME: 'releaser', GIT_AUTHOR_EMAIL: 'releaser@example.com' },
  ...{ GIT_COMMITTER_NAME: 'releaser', GIT_COMMITTER_EMAIL: 'releaser@example.com' },
}

/** Copies the files that a clone would have, with what is not yet committed, into a repository of their own. */
export async function copyRepository(options: Options): Promise<void> {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = await promisify(execFile)('git', list, {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  const files = stdout.split('\0').filter((path) => path && existsSync(join(root, path)))
  for (const path of files) {
    const copy = join(options.cwd, path)
    await mkdir(dirname(copy), { recursive: true })
    await cp(join(root, path), copy)
  }
  await run('git init --quiet --initial-branch main', options)
  await commit('Copy the repository', options)
}

export async function commit(subject: string, options: Options): Promise<void> {
  await run(`git add --all && git commit --quiet --message '${subject}'`, options)
}

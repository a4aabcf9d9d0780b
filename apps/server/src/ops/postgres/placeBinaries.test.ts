import { readlinkSync, statSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../../../../tests/support/newFolder.ts'
import type { Binaries } from './binaries.ts'
import type { Account } from './osAccount.ts'
import { placeBinaries } from './placeBinaries.ts'

const account: Account = {
  name: 'self',
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
}

/** Replaces the real program. It runs only in a path that contains the word `place`. */
const program = `#!/bin/sh
case "$0" in */place*) exit 0 ;; esac
echo "$0: Permission denied"
exit 126
`

let folder: string
let binaries: Binaries
let place: string

beforeEach(async () => {
  folder = newFolder()
  place = join(folder, 'place')
  binaries = { folder: join(folder, 'native'), name: 'postgresql-linux-x64-1.0.0' }
  for (const below of ['bin', 'share/postgresql', 'lib']) {
    await mkdir(join(binaries.folder, below), { recursive: true })
  }
  await writeFile(join(binaries.folder, 'bin/postgres'), program, { mode: 0o700 })
  await writeFile(join(binaries.folder, 'share/postgresql/postgres.bki'), 'x', { mode: 0o600 })
  await writeFile(join(binaries.folder, 'lib/libx.so.1'), 'library', { mode: 0o600 })
  await symlink('libx.so.1', join(binaries.folder, 'lib/libx.so'))
})

const put = (places: readonly string[]) => placeBinaries(binaries, account, places)
const copy = (below = '') => join(place, binaries.name, below)
const mode = (path: string) => statSync(path).mode & 0o777

test('programs that the account can run stay in place', async () => {
  await writeFile(join(binaries.folder, 'bin/postgres'), '#!/bin/sh\n')
  expect(await put([place])).toEqual({ folder: binaries.folder, copy: 'none' })
  expect(await readdir(folder)).toEqual(['native'])
})

test('a copy is made once, with the modes that it needs under any umask', async () => {
  const before = process.umask(0o077)
  onTestFinished(() => void process.umask(before))
  expect(await put([place])).toEqual({ folder: copy(), copy: 'made' })
  for (const below of ['', 'bin', 'bin/postgres', 'lib']) expect(mode(copy(below))).toBe(0o755)
  for (const below of ['lib/libx.so.1', 'share/postgresql/postgres.bki']) {
    expect(mode(copy(below))).toBe(0o644)
  }
  expect(readlinkSync(copy('lib/libx.so'))).toBe('libx.so.1')
  expect(mode(place)).toBe(0o755)
  expect(await readdir(place)).toEqual([binaries.name])
  expect(await put([place])).toEqual({ folder: copy(), copy: 'found' })
})

test.each(['lib/libx.so.1', 'lib/libx.so', 'share/postgresql', ''])(
  'a copy is made again after `%s` was deleted',
  async (below) => {
    await put([place])
    await rm(copy(below), { recursive: true })
    expect(await put([place])).toEqual({ folder: copy(), copy: 'made' })
    expect(readlinkSync(copy('lib/libx.so'))).toBe('libx.so.1')
    expect(await put([place])).toMatchObject({ copy: 'found' })
  },
)

test('a copy is made again after a file was truncated, or others may have changed it', async () => {
  await put([place])
  await writeFile(copy('lib/libx.so.1'), 'libr')
  expect(await put([place])).toMatchObject({ copy: 'made' })
  await chmod(copy('lib/libx.so.1'), 0o666)
  expect(await put([place])).toMatchObject({ copy: 'made' })
  await chmod(copy('bin'), 0o777)
  expect(await put([place])).toMatchObject({ copy: 'made' })
})

test('another version gets its own copy', async () => {
  await put([place])
  binaries = { ...binaries, name: 'postgresql-linux-x64-1.0.1' }
  expect(await put([place])).toEqual({ folder: copy(), copy: 'made' })
})

test('each of many concurrent starts has a whole copy, and one copy stays', async () => {
  const placed = await Promise.all(Array.from({ length: 8 }, () => put([place])))
  for (const { folder } of placed) expect(folder).toBe(copy())
  expect(await readdir(place)).toEqual([binaries.name])
})

test('leftovers of a killed process are removed', async () => {
  const deleted = join(place, `${binaries.name}.new-999999999-x`)
  const alive = join(place, `${binaries.name}.new-1-x`)
  for (const path of [deleted, alive]) await mkdir(path, { recursive: true })
  await put([place])
  expect(await readdir(place)).toEqual([binaries.name, `${binaries.name}.new-1-x`])
})

test.each<[string, () => Promise<unknown>]>([
  ['others may write it', () => mkdir(place).then(() => chmod(place, 0o777))],
  ['it is a link', () => mkdir(join(folder, 'place 2')).then(() => symlink('place 2', place))],
  ['it is a file', () => writeFile(place, '')],
  ['others may rename it', () => chmod(folder, 0o777)],
])('a place is skipped if %s', async (_, spoil) => {
  await spoil()
  const next = newFolder()
  const { folder } = await put([place, join(next, 'place')])
  expect(folder).toBe(join(next, 'place', binaries.name))
})

test('a place where nothing can run is skipped, and nothing stays there', async () => {
  const noexec = join(folder, 'noexec')
  expect(await put([noexec, place])).toEqual({ folder: copy(), copy: 'made' })
  expect(await readdir(noexec)).toEqual([])
})

test('without a place for a copy, a sentence says why and what to do', async () => {
  const places = [join(folder, 'missing/one'), join(folder, 'noexec')]
  await expect(put(places)).rejects.toThrow(
    /^User self cannot run the PostgreSQL programs in .*native, .*or set DATABASE_URL.*\n.*Permission denied\n.*missing\/one: ENOENT.*\n.*noexec: .*Permission denied$/,
  )
})

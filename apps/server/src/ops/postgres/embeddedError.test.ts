import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { EmbeddedError, explain, failed } from './embeddedError.ts'

test.each([
  ['ENOSPC', /is on a full disk: free some space there, or set DATABASE_URL/],
  ['EDQUOT', /quota is used up: free some space there, or set DATABASE_URL/],
  ['EROFS', /is on a read-only disk: choose a folder that can be written, or set DATABASE_URL/],
  ['EACCES', /cannot be used by user ID \d+: choose another folder, .* or set DATABASE_URL/],
  ['EBUSY', /has a volume mounted at its folder `postgres`: mount it at DATA_DIR instead/],
  ['EEXIST', /is not a folder: choose another path/],
])('%s becomes a sentence, with the words of the system', (code, words) => {
  const error = Object.assign(new Error(`${code}: words, mkdir '/data/x'`), { code })
  const explained = explain(error, '/data')
  expect(explained).toBeInstanceOf(EmbeddedError)
  expect((explained as Error).message).toMatch(/^DATA_DIR \/data [^\n]*$/)
  expect((explained as Error).message).toMatch(words)
  expect((explained as Error).message).toContain(error.message)
})

test('an error of another kind is unchanged', () => {
  for (const error of [new TypeError('x'), new EmbeddedError('x')]) {
    expect(explain(error, '/data')).toBe(error)
  }
})

test('the sentence names a full disk, and the last lines of PostgreSQL’s output follow it', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
  const broken = await failed('did not start', tmpdir(), lines.join('\n'))
  expect(broken.message).toMatch(/^The embedded PostgreSQL in .* did not start: .*DATABASE_URL.*\n/)
  expect(broken.message).toMatch(/line 29$/)
  expect(broken.message).not.toContain('line 10\n')
  for (const words of ['FATAL: x: No space left on device', 'HINT:  Check free disk space.']) {
    const { message } = await failed('did not start', tmpdir(), words)
    expect(message).toMatch(/^The disk of .* is full, .* free some space /)
    expect(message).toContain(`\n${words}`)
  }
})

test('the sentence for a user without a name, as in a container, names /etc/passwd', async () => {
  const words = 'initdb: could not look up effective user ID 12345: user does not exist'
  const { message } = await failed('could not be initialised', tmpdir(), words)
  expect(message).toMatch(
    /^The embedded PostgreSQL in .* could not be initialised: give user ID \d+ a name in \/etc\/passwd, run as a user that has one, or set DATABASE_URL .*\n/,
  )
  expect(message).toContain(words)
})

import { afterEach, expect, test, vi } from 'vitest'
import { createTabLock } from './tabLock.ts'

afterEach(() => vi.unstubAllGlobals())

test('a tab that asks twice at once gets the lock twice', async () => {
  let held = false
  const answers: (() => void)[] = []
  const request = async (_: string, __: object, grant: (lock: object | null) => unknown) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    if (held) return grant(null)
    held = true
    return grant({})
  }
  vi.stubGlobal('navigator', { locks: { request } })
  const takeLock = createTabLock(new AbortController().signal)
  const asked = [takeLock('a'), takeLock('a')]
  for (const answer of answers) answer()
  expect(await Promise.all(asked)).toEqual([true, true])
  expect(await takeLock('a')).toBe(true)
})

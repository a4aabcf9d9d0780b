import { describe, expect, test } from 'vitest'
import {
  depthDuringStandstill,
  type HeadProgress,
  isFrozen,
  observeHead,
  standstillOf,
} from './headProgress.ts'

const start = 1_000_000

/** The progress of a provider that is read every other second and reports these heads in sequence. */
function reports(heads: readonly number[], best: bigint | null = null): HeadProgress {
  const [first = 0, ...others] = heads
  return others.reduce(
    (progress, head, index) =>
      observeHead(progress, BigInt(head), best, start + (index + 1) * 2_000),
    observeHead(null, BigInt(first), best, start),
  )
}

const seconds = (heads: readonly number[]) => standstillOf(reports(heads)) / 1_000
const same = (head: number, times: number) => Array<number>(times).fill(head)

describe('a head', () => {
  test('stands still from its last rise to its last report', () => {
    expect(seconds([7])).toBe(0)
    expect(seconds([7, 8, 9])).toBe(0)
    expect(seconds([7, 8, ...same(8, 20)])).toBe(40)
    expect(seconds([...same(8, 20), 9])).toBe(0)
  })

  test('does not rise while nodes behind one address disagree', () => {
    const nodes = Array.from({ length: 60 }, (_, index) => (index % 2 ? 8 : 11))
    expect(seconds([11, ...nodes])).toBe(120)
  })

  test('rises again a minute after a head that was far too high', () => {
    const rising = Array.from({ length: 40 }, (_, index) => 8 + index)
    expect(seconds([7, 1e9, ...rising])).toBe(0)
  })

  test('does not count as standing still while nobody reads it', () => {
    const before = reports([7, 7])
    const [day, now] = [86_400_000, start + 2_000]
    expect(standstillOf(observeHead(before, 7n, null, now + day))).toBe(32_000)
    expect(standstillOf(observeHead(before, 8n, null, now + day))).toBe(0)
    // Late payments are looked for every half minute, which counts as reading.
    expect(standstillOf(observeHead(before, 7n, null, now + 30_000))).toBe(32_000)
  })
})

describe('a provider is frozen', () => {
  const now = start + 60_000
  const frozen = reports([100, ...same(100, 30)])
  const moving = reports(Array.from({ length: 31 }, (_, index) => 100 + index))

  test('that stands still, and that another has left behind', () => {
    expect(isFrozen(frozen, moving, now)).toBe(true)
  })

  test('not while it moves, however far behind, while the other stands still, or while both are as far', () => {
    const slow = reports(Array.from({ length: 31 }, (_, index) => 50 + index))
    expect(isFrozen(slow, moving, now)).toBe(false)
    expect(isFrozen(frozen, reports([500, ...same(500, 30)]), now)).toBe(false)
    expect(isFrozen(frozen, reports([...same(100, 30), 105]), now)).toBe(false)
  })

  test('not once it is silent: that is for a second provider to say', () => {
    expect(isFrozen(frozen, moving, now + 61_000)).toBe(false)
  })
})

describe('beside a frozen provider, depth counts', () => {
  const now = start + 60_000

  test('as far as the other has risen since', () => {
    const frozen = reports([100, ...same(100, 30)], 101n)
    expect(depthDuringStandstill(frozen, 131n, now)).toBe(130n)
  })

  test.each([9n, 50n, 1_000_000n])(
    'while %d blocks that it always claims more add no depth',
    (more) => {
      const frozen = reports([100, ...same(100, 30)], 100n + more)
      expect(depthDuringStandstill(frozen, 130n + more, now)).toBe(130n)
    },
  )

  test('by at most a block a second, so that a sudden claim adds little depth', () => {
    const frozen = reports([100, ...same(100, 30)], 100n)
    expect(depthDuringStandstill(frozen, 1_000_000n, now)).toBe(160n)
  })

  test('nothing above its own head until the other’s lead is known', () => {
    const single = reports([100, ...same(100, 30)])
    expect(depthDuringStandstill(single, 131n, now)).toBe(100n)
    // The other was first read after this provider had stopped.
    const late = observeHead(single, 100n, 139n, now + 2_000)
    expect(depthDuringStandstill(late, 139n, now + 2_000)).toBe(100n)
    expect(depthDuringStandstill(late, 144n, now + 12_000)).toBe(105n)
  })

  test('never from below its own head', () => {
    const frozen = reports([100, ...same(100, 30)], 1_000n)
    expect(depthDuringStandstill(frozen, 120n, now)).toBe(100n)
  })
})

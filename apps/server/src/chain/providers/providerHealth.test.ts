import { describe, expect, test } from 'vitest'
import { checked, failed, isBehind, newHealth, reportedHead, worked } from './providerHealth.ts'

describe('a provider that fails again and again', () => {
  function rests(random: number): number[] {
    let health = newHealth
    return Array.from({ length: 10 }, () => {
      health = checked(failed(health, 1_000_000, random))
      return health.backoffUntil - 1_000_000
    })
  }

  test('rests twice as long each time, up to half a minute', () => {
    const doubled = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]
    expect(rests(1)).toEqual(doubled)
  })

  test('does not return together with the same provider of other servers', () => {
    expect(rests(0)).toEqual(rests(1).map((rest) => rest / 2))
  })

  test('is not used before a check, and rests shortly again after a whole poll', () => {
    const twice = failed(failed(newHealth, 0, 1), 0, 1)
    expect(twice.state).toBe('unchecked')
    expect(checked(twice).state).toBe('ready')
    expect(failed(worked(checked(twice)), 0, 1).backoffUntil).toBe(500)
  })
})

describe('a head', () => {
  const other = checked(reportedHead(newHealth, 100n, 0))

  test('is behind when a ready provider reported a head more than ten blocks higher', () => {
    expect(isBehind(90n, [other])).toBe(false)
    expect(isBehind(89n, [other])).toBe(true)
  })

  test('is not behind the report of a failed provider', () => {
    expect(isBehind(1n, [failed(other, 0, 1), newHealth])).toBe(false)
  })
})

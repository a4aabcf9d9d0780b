import type { Hex } from 'viem'

export type Random = {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number, both ends included. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** Picks by weight. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item
  /** So many random bytes, without `0x`. */
  bytes(count: number): string
}

/**
 * A stream of randomness that depends on its keys alone (mulberry32 over their hash), so that taking one
 * part of a world away leaves the randomness of every other part as it was.
 */
export function random(...keys: readonly (string | number)[]): Random {
  let state = hash(keys.join('/'))
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  const pick = <Item>(items: readonly Item[]): Item => items[int(0, items.length - 1)] as Item
  return {
    next,
    int,
    pick,
    chance: (probability) => next() < probability,
    weighted(items) {
      let rest = next() * items.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of items) {
        rest -= weight
        if (rest < 0) return value
      }
      return pick(items)[1]
    },
    bytes: (count) =>
      Array.from({ length: count }, () => int(0, 255).toString(16).padStart(2, '0')).join(''),
  }
}

/** 32 bytes that depend on the keys alone. */
export function randomHash(...keys: readonly (string | number)[]): Hex {
  return `0x${random(...keys).bytes(32)}`
}

/** FNV-1a, finished by murmur3's mixing so that neighbouring keys do not make neighbouring streams. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}

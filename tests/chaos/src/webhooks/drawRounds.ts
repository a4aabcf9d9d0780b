import { random } from 'simulation/src/plan/random.ts'

/** A round: so many orders, and the faults during them. */
export type Round = {
  /** How many orders of the round are acknowledged when it happens. */
  readonly after: number
  readonly happens: { type: 'server_killed'; server: number } | { type: 'database_crashes' }
  /** How many are when the shop is killed. */
  readonly shopKilledAfter: number
  readonly outcomes: readonly SaleOutcome[]
}

/** The outcome of an order. Payments by hand are identified by their amount. */
export type SaleOutcome = 'paid' | 'paid_by_hand' | 'canceled' | 'left'

export type Size = {
  readonly servers: number
  readonly rounds: number
  readonly ordersPerRound: number
}

const outcomes = [
  [4, 'paid'],
  [2, 'paid_by_hand'],
  [3, 'canceled'],
  [3, 'left'],
] satisfies (readonly [number, SaleOutcome])[]

/** In one of the rounds PostgreSQL crashes, in each other round a server is killed. */
export function drawRounds(seed: number, { servers, rounds, ordersPerRound }: Size): Round[] {
  const { int, weighted } = random(seed, 'rounds')
  const crash = int(1, Math.max(1, rounds - 2))
  return Array.from({ length: rounds }, (_, round) => ({
    after: int(1, ordersPerRound),
    happens:
      round === crash
        ? { type: 'database_crashes' }
        : { type: 'server_killed', server: int(0, servers - 1) },
    shopKilledAfter: int(1, ordersPerRound),
    outcomes: Array.from({ length: ordersPerRound }, () => weighted<SaleOutcome>(outcomes)),
  }))
}

/** How a receiver responds to a request. */
export type Behaviour = 'takes' | 'slow' | 'drips' | Failure
type Failure = 'fails' | 'redirects' | 'rate_limits' | 'hangs' | 'hangs_up' | 'breaks_off'

const moods = {
  well: [[1, 'takes']],
  faulty: [
    [8, 'takes'],
    [2, 'slow'],
    [1, 'drips'],
    [3, 'fails'],
    [2, 'redirects'],
    [1, 'rate_limits'],
    [1, 'hangs'],
    [2, 'hangs_up'],
    [2, 'breaks_off'],
  ],
  dead: [[1, 'fails']],
  hanging: [[1, 'hangs']],
} satisfies Record<string, readonly (readonly [number, Behaviour])[]>

export type Mood = keyof typeof moods

/** Follows from the seed, the endpoint and how many requests it had before. */
export function drawBehaviour(
  seed: number,
  endpoint: string,
  count: number,
  mood: Mood,
): Behaviour {
  return random(seed, endpoint, count).weighted<Behaviour>(moods[mood])
}

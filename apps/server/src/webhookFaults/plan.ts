import { random } from '../simulation/random.ts'

/** What goes on while events are written: a round is so many intents, and one thing that happens in it. */
export type Round = {
  /** How many intents of the round are acknowledged when it happens. */
  readonly after: number
  readonly happens: { type: 'server_killed'; server: number } | { type: 'database_crashes' }
}

export const servers = 3
const rounds = 6
export const intentsPerRound = 40

export function drawRounds(seed: number): Round[] {
  const { int } = random(seed, 'rounds')
  const crash = int(1, rounds - 2)
  return Array.from({ length: rounds }, (_, round) => ({
    after: int(1, intentsPerRound),
    happens:
      round === crash
        ? { type: 'database_crashes' }
        : { type: 'server_killed', server: int(0, servers - 1) },
  }))
}

/** How a receiver takes one request. */
export type Behaviour = 'takes' | 'slow' | 'drips' | Failure
type Failure = 'fails' | 'redirects' | 'asks_for_patience' | 'hangs' | 'hangs_up' | 'breaks_off'

const moods = {
  well: [[1, 'takes']],
  faulty: [
    [8, 'takes'],
    [2, 'slow'],
    [1, 'drips'],
    [3, 'fails'],
    [2, 'redirects'],
    [1, 'asks_for_patience'],
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

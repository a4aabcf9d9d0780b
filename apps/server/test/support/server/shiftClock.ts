/** Shifts the clock of a server by this many milliseconds. `--import` loads this file before the server. */
const shift = Number(process.env.TEST_CLOCK_SHIFT_MS)
const now = Date.now.bind(Date)

globalThis.Date = class extends Date {
  constructor(...input: unknown[]) {
    super(...((input.length > 0 ? input : [now() + shift]) as [number]))
  }
  static override now(): number {
    return now() + shift
  }
} as DateConstructor

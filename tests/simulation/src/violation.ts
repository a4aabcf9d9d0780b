/** An invariant of the service that was violated. */
export class Violation extends Error {
  readonly invariant: string
  readonly step: number
  /** The histories it happened in. */
  readonly histories: readonly number[]

  constructor(invariant: string, step: number, histories: readonly number[], message: string) {
    super(`${invariant}, step ${step}, histories ${histories.join(', ')}: ${message}`)
    this.invariant = invariant
    this.step = step
    this.histories = histories
  }
}

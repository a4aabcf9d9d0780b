import type { CheckoutEffect, CheckoutState } from './state.ts'

/** The next state, and the effects to run. */
export type Step = { state: CheckoutState; effects: readonly CheckoutEffect[] }

export function toStep(state: CheckoutState, ...effects: readonly CheckoutEffect[]): Step {
  return { state, effects }
}

export const stopAttempt: CheckoutEffect = { type: 'stop', work: 'attempt' }
export const stopSubmitting: CheckoutEffect = { type: 'stop', work: 'submit' }
export const stopWatch: CheckoutEffect = { type: 'stop', work: 'watch' }

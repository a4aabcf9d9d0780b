/** The payer's actions in the step of a payment link. */
export type LinkActions = {
  type: (event: Event) => void
  /** Enter in the field pays. */
  enter: (event: KeyboardEvent) => void
  choose: (chain: string) => void
  pay: () => void
  retry: () => void
}

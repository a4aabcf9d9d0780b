import { loadModal } from './loadModal.ts'

/**
 * Loads the modal, so that opening it later shows the payment sooner: call it when the payer is about to press the
 * button. Fetches that file and nothing else, once, and does nothing on a server. A failure is left to the opening.
 */
export function preload(): void {
  if (typeof document !== 'undefined') loadModal().catch(() => {})
}

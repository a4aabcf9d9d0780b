import { loadModal } from './loadModal.ts'

/**
 * Loads the modal, so that opening it later shows the payment sooner: call it when the payer is about to press the button. Fetches only
 * that file, once, and does nothing on a server. A failure has no effect: opening loads the file again.
 */
export function preload(): void {
  if (typeof document !== 'undefined') loadModal().catch(() => {})
}

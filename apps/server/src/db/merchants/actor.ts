import type { Mode } from '@payment-intents/contract'

/** The merchant who acts, in the mode of their key. */
export type Actor = { readonly merchantId: string; readonly mode: Mode }

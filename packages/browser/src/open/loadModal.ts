import { loadAgain } from './loadAgain.ts'

/** Loads the modal's own file; once loaded, a call loads nothing. */
export function loadModal(): Promise<typeof import('../modal.tsx')> {
  return import('../modal.tsx').catch(loadAgain)
}

import { retryImport } from './retryImport.ts'

/** Loads the modal's own file; once loaded, a call loads nothing. */
export function loadModal(): Promise<typeof import('./modal.ts')> {
  return import('./modal.ts').catch(retryImport)
}

import { useSyncExternalStore } from 'react'
import { type Choices, readChoices } from './choices.ts'

/** The visitor's choices, now and whenever they change. */
export function useChoices(): Choices {
  useSyncExternalStore(subscribe, () => location.search)
  return readChoices()
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('choices', changed)
  return () => window.removeEventListener('choices', changed)
}

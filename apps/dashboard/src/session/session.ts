import type { Role } from '@payment-intents/contract'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { readAccount, type Session } from '../api/account.ts'
import { isApiError } from '../api/apiError.ts'
import { currentMode, setMode } from '../api/mode.ts'

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
})

/** Reads the session; null: nobody is signed in. Switches to the service's mode if it has only one. */
async function readSession(): Promise<Session | null> {
  try {
    const session = await readAccount('/account/session')
    const [first = 'testnet'] = session.modes
    if (session.modes.includes(currentMode())) return session
    setMode(first)
    return { ...session, mode: first }
  } catch (error) {
    if (isApiError(error, 'session_invalid')) return null
    throw error
  }
}

/** The session, for components that are rendered only in a session. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (!data) throw new Error('Nobody is signed in.')
  return data
}

/** Whether the person has this role or a higher one. */
export function useRole(least: Role): boolean {
  const { person } = useSession()
  const order: readonly Role[] = ['reader', 'support', 'owner']
  return order.indexOf(person.role) >= order.indexOf(least)
}

import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isApiError } from './api/apiError.ts'

const retries = 3

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteEnd }),
  mutationCache: new MutationCache({ onError: noteEnd }),
  defaultOptions: {
    queries: {
      // Do not retry an error that the service would return again.
      retry: (count, error) => count < retries && (!isApiError(error) || isTemporary(error.status)),
      staleTime: 10_000,
    },
  },
})

/** Ends the session if the service says so, which shows the sign-in page. */
function noteEnd(error: unknown): void {
  if (isApiError(error, 'session_invalid')) queryClient.setQueryData(['session'], null)
}

function isTemporary(status: number): boolean {
  return status === 0 || status === 429 || status >= 500
}

import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { SignIn } from './pages/signIn/SignIn.tsx'
import { Failure } from './parts/Failure.tsx'
import { queryClient } from './queryClient.ts'
import { router } from './router.tsx'
import { sessionQuery } from './session/session.ts'
import { texts } from './texts.ts'
import './style.css'

/** The sign-in page, or the pages for signed-in people. */
function App() {
  const { data, error, isPending, refetch } = useQuery(sessionQuery)
  if (isPending) return <p className="sign-in">{texts.loading}</p>
  if (error) {
    return (
      <main className="sign-in">
        <Failure error={error} onRetry={() => void refetch()} />
      </main>
    )
  }
  if (!data || location.pathname === '/sign-in') return <SignIn />
  return <RouterProvider router={router} />
}

// Request the first page's data at the same time as the session. The service refuses it if nobody is signed in.
if (location.pathname !== '/sign-in') void router.load()

const element = document.getElementById('root')
if (!element) throw new Error('The page has no root.')
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)

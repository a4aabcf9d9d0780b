import { useMutation } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { changeAccount } from '../api/account.ts'
import { useLiveEvents } from '../live/useLiveEvents.ts'
import { queryClient } from '../queryClient.ts'
import { ProofDialog } from '../session/ProofDialog.tsx'
import { useSession } from '../session/session.ts'
import { texts } from '../texts.ts'
import { ModeSwitch } from './ModeSwitch.tsx'
import './layout.css'

const pages = [
  { to: '/', name: texts.nav.overview },
  { to: '/payments', name: texts.nav.payments },
  { to: '/needs-you', name: texts.nav.needsYou },
  { to: '/refunds', name: texts.nav.refunds },
  { to: '/links', name: texts.nav.links },
  { to: '/developers/webhooks', name: texts.nav.developers },
  { to: '/settings', name: texts.nav.settings },
] as const

/** The frame of every page for signed-in people: navigation, mode and account. */
export function Layout() {
  const { merchant, person, mode } = useSession()
  useLiveEvents()
  const signOut = useMutation({
    mutationFn: () => changeAccount('POST', '/account/session/sign_out'),
    onSuccess: () => queryClient.resetQueries(),
  })
  return (
    <div className="layout">
      <a className="skip" href="#page">
        {texts.nav.skip}
      </a>
      <header className="side">
        <p className="merchant">{merchant.name}</p>
        <ModeSwitch />
        <nav aria-label={texts.nav.label}>
          <ul>
            {pages.map(({ to, name }) => (
              <li key={to}>
                <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="person">
          <span className="muted">{person.name}</span>
          <button type="button" className="plain" onClick={() => signOut.mutate()}>
            {texts.nav.signOut}
          </button>
        </div>
      </header>
      <main id="page" tabIndex={-1}>
        {mode === 'testnet' && <p className="test-notice">{texts.nav.testNotice}</p>}
        <Outlet />
      </main>
      <ProofDialog />
    </div>
  )
}

import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { changeAccount } from '../../api/account.ts'
import { Failure } from '../../parts/Failure.tsx'
import { queryClient } from '../../queryClient.ts'
import { isPasskeyCanceled, signInByPasskey } from '../../session/passkey.ts'
import { texts } from '../../texts.ts'

/** The sign-in page. A sign-in link has its token in the fragment. */
export function SignIn() {
  const onSuccess = () => {
    history.replaceState(null, '', location.pathname === '/sign-in' ? '/' : location.href)
    return queryClient.resetQueries()
  }
  const byPasskey = useMutation({ mutationFn: signInByPasskey, onSuccess })
  const byLink = useMutation({
    mutationFn: (token: string) => changeAccount('POST', '/account/sign_in/link', { token }),
    onSuccess,
  })
  const isBegun = useRef(false)
  useEffect(() => {
    document.title = `${texts.signIn.title} · ${texts.product}`
    const token = location.hash.slice(1)
    if (location.pathname !== '/sign-in' || !token || isBegun.current) return
    isBegun.current = true
    // Remove the token, so that neither the history nor a bookmark keeps it.
    history.replaceState(null, '', '/sign-in')
    byLink.mutate(token)
  }, [byLink])
  return (
    <main className="sign-in">
      <div className="card stack">
        <h1>{texts.signIn.title}</h1>
        {byLink.isPending || byLink.isSuccess ? (
          <p role="status">{texts.signIn.byLink}</p>
        ) : (
          <>
            {byLink.error && (
              <div className="stack">
                <h2>{texts.signIn.linkFailed}</h2>
                <Failure error={byLink.error} />
              </div>
            )}
            <p>{texts.signIn.intro}</p>
            {byPasskey.error &&
              (isPasskeyCanceled(byPasskey.error) ? (
                <p className="note warn" role="alert">
                  {texts.signIn.canceled}
                </p>
              ) : (
                <Failure error={byPasskey.error} />
              ))}
            <button
              type="button"
              className="primary"
              disabled={byPasskey.isPending}
              onClick={() => byPasskey.mutate()}
            >
              {texts.signIn.passkey}
            </button>
            <p className="muted">{texts.signIn.noPasskey}</p>
          </>
        )}
      </div>
    </main>
  )
}

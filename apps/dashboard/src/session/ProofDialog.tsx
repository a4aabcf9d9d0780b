import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { onProofNeeded } from '../api/send.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Failure } from '../parts/Failure.tsx'
import { texts } from '../texts.ts'
import { isPasskeyCanceled, proveByPasskey } from './passkey.ts'
import { useSession } from './session.ts'

/** Opens when a request needs a proof of identity; the request then continues. */
export function ProofDialog() {
  const [end, setEnd] = useState<((isProved: boolean) => void) | null>(null)
  const { passkeys } = useSession()
  useEffect(() => {
    onProofNeeded(() => new Promise((resolve) => setEnd(() => resolve)))
  }, [])
  const close = (isProved: boolean) => {
    end?.(isProved)
    setEnd(null)
  }
  const prove = useMutation({ mutationFn: proveByPasskey, onSuccess: () => close(true) })
  if (!end) return null
  return (
    <Dialog title={texts.proof.title} onClose={() => close(false)}>
      <p>{passkeys > 0 ? texts.proof.text : texts.proof.none}</p>
      {prove.error &&
        (isPasskeyCanceled(prove.error) ? (
          <p className="note warn" role="alert">
            {texts.signIn.canceled}
          </p>
        ) : (
          <Failure error={prove.error} />
        ))}
      <div className="actions">
        <button type="button" onClick={() => close(false)}>
          {texts.back}
        </button>
        {passkeys > 0 && (
          <button
            type="button"
            className="primary"
            disabled={prove.isPending}
            onClick={() => prove.mutate()}
          >
            {texts.proof.action}
          </button>
        )}
      </div>
    </Dialog>
  )
}

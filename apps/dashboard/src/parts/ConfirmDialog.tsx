import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { texts } from '../texts.ts'
import { Dialog } from './Dialog.tsx'
import { Failure } from './Failure.tsx'

/** Requests a confirmation, runs the action, and shows its error. */
export function ConfirmDialog(props: {
  title: string
  children?: ReactNode
  /** The label of the button. */
  action: string
  isDangerous?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
}) {
  const { title, children, action, isDangerous = false, onConfirm, onClose } = props
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {confirm.error && <Failure error={confirm.error} />}
      <div className="actions">
        <button type="button" onClick={onClose}>
          {texts.back}
        </button>
        <button
          type="button"
          className={isDangerous ? 'danger' : 'primary'}
          disabled={confirm.isPending}
          onClick={() => confirm.mutate()}
        >
          {action}
        </button>
      </div>
    </Dialog>
  )
}

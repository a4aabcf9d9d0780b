import { useState } from 'react'
import { texts } from '../texts.ts'
import { ConfirmDialog } from './ConfirmDialog.tsx'

/** Removes something after a confirmation. @param action the buttons' label; "Remove" by default */
export function RemoveButton(props: {
  title: string
  text: string
  action?: string
  onRemove: () => Promise<unknown>
}) {
  const { title, text, action = texts.remove, onRemove } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {action}
      </button>
      {isOpen && (
        <ConfirmDialog
          title={title}
          action={action}
          isDangerous
          onConfirm={onRemove}
          onClose={() => setOpen(false)}
        >
          <p>{text}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

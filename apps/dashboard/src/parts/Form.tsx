import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { texts } from '../texts.ts'
import { Failure } from './Failure.tsx'

/** A form that sends its fields and shows the service's errors. */
export function Form<Result>(props: {
  /** The label of the submit button. */
  action: string
  onSubmit: (fields: FormData) => Promise<Result>
  /** Called with the fields at each change. */
  onInput?: (fields: FormData) => void
  onDone?: (result: Result) => void
  /** Adds a cancel button. */
  onCancel?: () => void
  /** Clears the fields once they are sent. */
  isEmptied?: boolean
  children: ReactNode
}) {
  const { action, onSubmit, onInput, onDone, onCancel, isEmptied = false, children } = props
  const form = useRef<HTMLFormElement>(null)
  const submit = useMutation({
    mutationFn: onSubmit,
    onSuccess: (result) => {
      if (isEmptied) form.current?.reset()
      onDone?.(result)
    },
  })
  return (
    <form
      ref={form}
      className="stack"
      onInput={(event) => onInput?.(new FormData(event.currentTarget))}
      onSubmit={(event) => {
        event.preventDefault()
        submit.mutate(new FormData(event.currentTarget))
      }}
    >
      {children}
      {submit.error && <Failure error={submit.error} />}
      <div className="row">
        <button type="submit" className="primary" disabled={submit.isPending}>
          {action}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {texts.back}
          </button>
        )}
        <span role="status">{submit.isSuccess && !isEmptied ? texts.saved : ''}</span>
      </div>
    </form>
  )
}

/** The trimmed text of a field. */
export function textOf(fields: FormData, name: string): string {
  return String(fields.get(name) ?? '').trim()
}

/** The trimmed text of a field; null if it is empty. */
export function textOrNull(fields: FormData, name: string): string | null {
  return textOf(fields, name) || null
}

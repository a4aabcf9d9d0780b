import { type ReactNode, useEffect, useRef } from 'react'
import { texts } from '../texts.ts'
import { clean } from './values/clean.ts'
import { Foreign } from './values/Foreign.tsx'

/** A page: its heading, which gets the focus when the page opens, what can be done, and the content. */
export function Page(props: { title: string; actions?: ReactNode; children: ReactNode }) {
  const { title, actions, children } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${clean(title, 100)} · ${texts.product}`
    // A reader that types or has chosen something is left where they are.
    if (document.activeElement === document.body) heading.current?.focus()
  }, [title])
  return (
    <div className="stack">
      <div className="row page-head">
        <h1 tabIndex={-1} ref={heading}>
          <Foreign text={title} />
        </h1>
        {actions && <div className="row page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

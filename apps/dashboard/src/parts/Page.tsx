import { type ReactNode, useEffect, useRef } from 'react'
import { texts } from '../texts.ts'
import { cleanText } from './values/cleanText.ts'
import { Foreign } from './values/Foreign.tsx'

/** A page with its actions. Its heading gets the focus when the page opens. */
export function Page(props: { title: string; actions?: ReactNode; children: ReactNode }) {
  const { title, actions, children } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${cleanText(title, 100)} · ${texts.product}`
    // Do not take the focus from a person who types or has selected something.
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

import type { ReactNode } from 'react'

/** A card with a heading. */
export function Section(props: { title: string; actions?: ReactNode; children: ReactNode }) {
  const { title, actions, children } = props
  return (
    <section className="card stack">
      <div className="row page-head">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

import { h } from './h.ts'

/** What the shell shows while the modal loads, element by element: drawn over it, it changes nothing. */
export function Skeleton({ label }: { label: string }) {
  return (
    <div>
      <h2 class="unseen" tabIndex={-1}>
        {label}
      </h2>
      <div class="bones" aria-hidden="true">
        <b />
        <b />
        <b />
        <b />
      </div>
    </div>
  )
}

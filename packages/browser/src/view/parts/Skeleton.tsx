import { h } from './h.ts'

/** The shell's elements while the modal loads: drawn over them, it changes nothing. */
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

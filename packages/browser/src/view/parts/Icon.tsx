import { h } from './h.ts'

const paths = {
  chevron: 'M9 5l7 7-7 7',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  external: 'M8 16L17 7M9 7h8v8',
  alert: 'M12 5v8.5M12 18.4v.1',
  clock: 'M12 7v5l3 2M12 3a9 9 0 110 18 9 9 0 010-18z',
  wallet: 'M4 8a2 2 0 012-2h12v4M4 8v9a2 2 0 002 2h14v-9H6a2 2 0 01-2-2zM16 14.5h.5',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM19 14h1M14 19h1M19 19h1',
  search: 'M11 4a7 7 0 110 14 7 7 0 010-14zM16 16l4 4',
}

export type IconName = keyof typeof paths

/** A decorative icon next to text of the same meaning. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} pathLength={1} />
    </svg>
  )
}

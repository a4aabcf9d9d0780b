import { h } from './h.ts'

/** The initial of a wallet, in a color of its maker. */
export function Monogram({ name, color }: { name: string; color: string }) {
  const style = `background:${color};color:#fff;font-weight:600`
  return (
    <span class="wallet-icon" style={style} aria-hidden="true">
      {name[0]}
    </span>
  )
}

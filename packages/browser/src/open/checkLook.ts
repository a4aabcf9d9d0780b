import type { Rail } from '../checkout/state.ts'
import type { CheckoutLabel, OpenServiceModalOptions } from '../options.ts'

const rails: readonly Rail[] = ['wallets', 'qr']
const labels: readonly CheckoutLabel[] = [...rails, 'paid', 'done']

/** Throws a `TypeError` for a logo, labels or rails that no type checker has seen. */
export function checkLook({ appearance, rails: ordered = rails }: OpenServiceModalOptions): void {
  const { logo = 'https:', labels: texts = {} } = { ...appearance }
  const isValid = {
    'appearance.logo': /^(https:|data:image\/)/.test(logo),
    'appearance.labels': Object.entries(texts).every(
      ([name, text = '']) => labels.includes(name as CheckoutLabel) && text.trim,
    ),
    rails: ordered[0] && ordered.every((rail) => rails.includes(rail)),
  }
  for (const [name, ok] of Object.entries(isValid)) {
    if (!ok) throw new TypeError(`\`${name}\` is not valid.`)
  }
}

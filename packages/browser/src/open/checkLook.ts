import type {
  CheckoutLabel,
  CheckoutPaymentMethod,
  OpenServiceModalOptions,
} from '../checkoutOptions.ts'

const paymentMethods: readonly CheckoutPaymentMethod[] = ['wallets', 'qr']
const labels: readonly CheckoutLabel[] = [...paymentMethods, 'paid', 'done']

/** Throws a `TypeError` for a logo, labels or payment methods that no type checker has seen. */
export function checkLook({
  appearance,
  paymentMethods: ordered = paymentMethods,
}: OpenServiceModalOptions): void {
  const { logo = 'https:', labels: texts = {} } = { ...appearance }
  const isValid = {
    'appearance.logo': /^(https:|data:image\/)/.test(logo),
    'appearance.labels': Object.entries(texts).every(
      ([name, text = '']) => labels.includes(name as CheckoutLabel) && text.trim,
    ),
    paymentMethods:
      ordered[0] && ordered.every((paymentMethod) => paymentMethods.includes(paymentMethod)),
  }
  for (const [name, ok] of Object.entries(isValid)) {
    if (!ok) throw new TypeError(`\`${name}\` is not valid.`)
  }
}

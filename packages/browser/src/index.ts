export type {
  Checkout,
  CheckoutAppearance,
  CheckoutError,
  CheckoutErrorCode,
  CheckoutLabel,
  CheckoutPayment,
  CheckoutPaymentMethod,
  CheckoutTheme,
  EIP1193Provider,
  OpenServiceModalOptions,
  WalletOption,
} from './checkoutOptions.ts'
export { openServiceModal } from './open/openServiceModal.ts'
export { preload } from './open/preload.ts'

export { openServiceModal } from './openServiceModal.ts'
export type {
  Checkout,
  CheckoutAppearance,
  CheckoutError,
  CheckoutErrorCode,
  CheckoutLabel,
  CheckoutPayment,
  CheckoutRail,
  CheckoutTheme,
  EIP1193Provider,
  OpenServiceModalOptions,
  WalletOption,
} from './options.ts'
export { preload } from './preload.ts'

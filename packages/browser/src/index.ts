export { openServiceModal } from './openServiceModal.ts'
export type {
  Checkout,
  CheckoutError,
  CheckoutErrorCode,
  CheckoutPayment,
  CheckoutTheme,
  EIP1193Provider,
  OpenServiceModalOptions,
  WalletOption,
} from './options.ts'
export { preload } from './preload.ts'

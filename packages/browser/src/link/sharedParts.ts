import type { mountModal } from '../modal.tsx'
import type { checkLook } from '../open/checkLook.ts'
import type { checkoutError } from '../open/checkoutError.ts'
import type { callService } from '../service/callService.ts'
import type { createCheckoutLanguage } from '../view/checkoutLanguage.ts'
import type { mountDialog } from '../view/dialog/mountDialog.ts'
import type { Frame } from '../view/Frame.tsx'
import type { Contact } from '../view/parts/Contact.tsx'
import type { StatusScreen } from '../view/screens/StatusScreen.tsx'
import type { discoverWallets } from '../wallet/provider/discoverWallets.ts'

/** The parts of the checkout that the step of a payment link shares: large parts, and parts with a state. */
export type SharedParts = {
  mountModal: typeof mountModal
  mountDialog: typeof mountDialog
  createCheckoutLanguage: typeof createCheckoutLanguage
  Frame: typeof Frame
  Contact: typeof Contact
  StatusScreen: typeof StatusScreen
  discoverWallets: typeof discoverWallets
  callService: typeof callService
  checkLook: typeof checkLook
  checkoutError: typeof checkoutError
}

/** Invariant: set before the step draws anything, by the file of the checkout, which has the parts. */
export let sharedParts: SharedParts

export function setSharedParts(parts: SharedParts): void {
  sharedParts = parts
}

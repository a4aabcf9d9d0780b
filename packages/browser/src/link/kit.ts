import type { mountModal } from '../modal.tsx'
import type { checkLook } from '../open/checkLook.ts'
import type { checkoutError } from '../open/checkoutError.ts'
import type { callService } from '../service/callService.ts'
import type { mountDialog } from '../view/dialog/mountDialog.ts'
import type { Frame } from '../view/Frame.tsx'
import type { keepLanguage } from '../view/keepLanguage.ts'
import type { Contact } from '../view/parts/Contact.tsx'
import type { StatusScreen } from '../view/screens/StatusScreen.tsx'
import type { discoverWallets } from '../wallet/provider/discoverWallets.ts'

/** The parts of the checkout that the step of a payment link shares: large parts, and parts with a state. */
export type Kit = {
  mountModal: typeof mountModal
  mountDialog: typeof mountDialog
  keepLanguage: typeof keepLanguage
  Frame: typeof Frame
  Contact: typeof Contact
  StatusScreen: typeof StatusScreen
  discoverWallets: typeof discoverWallets
  callService: typeof callService
  checkLook: typeof checkLook
  checkoutError: typeof checkoutError
}

/** The checkout's file passes it. Set before the step draws anything. */
export let kit: Kit

export function useKit(parts: Kit): void {
  kit = parts
}

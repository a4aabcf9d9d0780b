import sheet from './byHand.css?raw'

export { warnOfUnknown } from '../lib/warnOfUnknown.ts'
// A payer with a wallet in this browser loads none of it, unless the page passes an unknown option.
export { enManual as messages } from '../locales/enManual.ts'
export { GetUsdc } from './screens/GetUsdc.tsx'
export { NoWallet } from './screens/NoWallet.tsx'
export { QrPanel } from './screens/QrPanel.tsx'
export const styles: string = sheet

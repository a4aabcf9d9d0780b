import sheet from './byHand.css?raw'

// Who pays with a wallet in this browser loads none of it, unless the page passes an unknown option.
export { enByHand as messages } from '../locales/enByHand.ts'
export { warnOfUnknown } from '../warnOfUnknown.ts'
export { GetUsdc } from './GetUsdc.tsx'
export { NoWallet } from './NoWallet.tsx'
export { QrPanel } from './QrPanel.tsx'
export const styles: string = sheet

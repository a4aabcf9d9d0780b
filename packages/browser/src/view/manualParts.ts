import sheet from './manualParts.css?raw'

export { warnOfUnknown } from '../lib/warnOfUnknown.ts'
// A payer with a wallet in this browser does not load this file, unless the page passes an unknown option.
export { enManual as messages } from '../locales/enManual.ts'
export { GetUsdc } from './panels/GetUsdc.tsx'
export { NoWallet } from './panels/NoWallet.tsx'
export { QrPanel } from './panels/QrPanel.tsx'
export const styles: string = sheet

// Who pays with a wallet in this browser loads none of it.
export { NoWallet } from './NoWallet.tsx'
export { QrPanel } from './QrPanel.tsx'
export { qrPath } from './qrPath.ts'

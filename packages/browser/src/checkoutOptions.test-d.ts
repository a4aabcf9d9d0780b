import { openServiceModal } from './open/openServiceModal.ts'
import { verifyReceipt } from './receipt/verifyReceipt.ts'

const shop = { clientSecret: 's', merchantName: 'Kiosk', baseUrl: 'https://pay.example.com' }

export function refuses(receipt: unknown): void {
  // @ts-expect-error no such option
  openServiceModal({ ...shop, merchant_name: 'Kiosk' })
  // @ts-expect-error no such option
  openServiceModal({ ...shop, onsuccess() {} })
  // @ts-expect-error no such look
  openServiceModal({ ...shop, appearance: { Logo: '' } })
  // @ts-expect-error not an object
  openServiceModal('s')
  // @ts-expect-error no such option
  verifyReceipt(receipt, { rpc_url: 'https://mainnet.base.org' })
}

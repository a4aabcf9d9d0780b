import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { launchChromium } from '../../../../tests/support/launchChromium.ts'
import { invite } from '../../../server/src/account/peopleEndpoints.ts'
import type { Refunding } from '../../../server/test/support/server/refunding.ts'
import type { Json } from '../../../server/test/support/server/testServer.ts'

type Opened = Pick<Refunding, 'reader' | 'chain' | 'shop'> & {
  /** The dashboard's origin. */
  readonly url: string
  /** The reader's merchant by default. */
  readonly merchantId?: string
}

/** Opens a browser with a signed-in owner and a wallet that signs with the shop's key. */
export async function openWithWallet({ reader, chain, shop, url, merchantId }: Opened) {
  const account = privateKeyToAccount(shop.privateKey)
  const browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const signed: { authorization: Json; signature: Hex }[] = []
  await page.exposeFunction('signTypedData', async (json: string) => {
    const { domain, types, primaryType, message } = JSON.parse(json)
    const { EIP712Domain: _, ...signTypes } = types
    const signature = await account.signTypedData({
      domain,
      types: signTypes,
      primaryType,
      message,
    })
    signed.push({ authorization: message, signature })
    return signature
  })
  await page.addInitScript(
    ([address, chainId]) => {
      const responses: Record<string, (params: string[]) => unknown> = {
        eth_requestAccounts: () => [address],
        eth_chainId: () => chainId,
        eth_signTypedData_v4: ([, json]) =>
          (window as unknown as { signTypedData(json?: string): unknown }).signTypedData(json),
      }
      const provider = {
        request: async ({ method, params }: { method: string; params: string[] }) =>
          responses[method]?.(params),
      }
      const detail = { info: { uuid: 'vault', name: 'Vault', icon: '', rdns: 'vault' }, provider }
      addEventListener('eip6963:requestProvider', () =>
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
      )
    },
    [account.address, `0x${chain.chainId.toString(16)}`] as const,
  )
  const terms = { name: 'Ada', email: null, role: 'owner' } as const
  const owner = { ...terms, merchantId: merchantId ?? reader.merchant.id }
  const context = { dashboardUrl: url, now: Date.now }
  await page.goto((await invite(reader.db.pool, context, owner)).url)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  return { page, signed, close: () => browser.close() }
}

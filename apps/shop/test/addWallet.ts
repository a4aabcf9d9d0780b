import { createTestWallet, type TestWalletOptions } from '@payment-intents/testing/wallet'
import type { Page } from 'playwright-core'

type RpcRequest = { method: string; params?: unknown }
type ResponseOf = { result?: unknown; error?: { code: number; message: string } }

/**
 * Adds a wallet to every document of a page. It runs outside of the page, like an extension, so the page's policy does
 * not apply to it.
 */
export async function addWallet(page: Page, options: TestWalletOptions): Promise<void> {
  const wallet = createTestWallet(options)
  const request = (rpcRequest: RpcRequest): Promise<unknown> =>
    rpcRequest.method === 'personal_sign'
      ? requestNode(options, rpcRequest)
      : wallet.request(rpcRequest)
  await page.exposeFunction(
    'requestTestWallet',
    (rpcRequest: RpcRequest): Promise<ResponseOf> =>
      request(rpcRequest).then(
        (result) => ({ result }),
        // The boundary drops an error's code.
        ({ code, message }) => ({ error: { code, message } }),
      ),
  )
  await page.addInitScript(() => {
    const { requestTestWallet } = window as unknown as {
      requestTestWallet(rpcRequest: RpcRequest): Promise<ResponseOf>
    }
    const provider = {
      async request(rpcRequest: RpcRequest) {
        const { result, error } = await requestTestWallet(rpcRequest)
        if (error) throw Object.assign(new Error(error.message), error)
        return result
      },
    }
    const info = { uuid: 'test', name: 'Test Wallet', icon: 'data:,', rdns: 'dev.test' }
    const detail = Object.freeze({ info, provider })
    window.addEventListener('eip6963:requestProvider', () =>
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
    )
  })
}

/** The node has the keys of its accounts. */
async function requestNode(
  { rpcUrl }: TestWalletOptions,
  rpcRequest: RpcRequest,
): Promise<unknown> {
  const [url = ''] = [rpcUrl].flat()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...rpcRequest }),
  })
  const { result, error } = await response.json()
  if (error) throw error
  return result
}

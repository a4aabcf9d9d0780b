import { expect, inject } from 'vitest'

export type Intent = { readonly id: string; readonly client_secret: string }

/** The amount in the checkout: the price, and less than a cent more while another intent has it. */
export const price = /^25\.00\d* USDC$/

/** A payment intent of 25 USDC at the real service. */
export function createIntent(): Promise<Intent> {
  return post('payment_intents', { amount_units: 25_000_000 })
}

/** A payment link of 25 USDC. */
export async function createLink(): Promise<string> {
  const terms = { amount_units: 25_000_000, description: 'A donation' }
  return (await post<{ id: string }>('payment_links', terms)).id
}

/** The newest payment of a link. */
export async function paymentOf(link: string): Promise<string> {
  const { url, apiKey } = inject('service')
  const response = await fetch(`${url}/v1/payment_intents?payment_link=${link}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  const { data } = (await response.json()) as { data: { id: string }[] }
  return data[0]?.id ?? expect.fail('Nobody pays the link.')
}

/** Pays it on the development chain, with all the confirmations that it needs. */
export async function payIntent(id: string): Promise<void> {
  await post(`test_helpers/payment_intents/${id}/pay`, {})
  await post('test_helpers/chain/mine', { blocks: 5 })
}

async function post<ResponseBody>(path: string, body: object): Promise<ResponseBody> {
  const { url, apiKey } = inject('service')
  const response = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as ResponseBody
}

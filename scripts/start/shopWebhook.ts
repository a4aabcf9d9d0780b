import { Failure } from './failure.ts'

export type ShopWebhook = { readonly secret: string; readonly origin: 'created' | 'kept' }

type Endpoint = { id: string; url: string; status: string }

/**
 * The webhook endpoint that leads to the shop, enabled, with its secret. The server returns a secret only once, and the
 * shop that has it starts after this: an endpoint that was there before gets a new secret.
 *
 * @param url where the shop takes events
 */
export async function shopWebhook(options: {
  baseUrl: string
  apiKey: string
  url: string
}): Promise<ShopWebhook> {
  const { url } = options
  const { data } = await request<{ data: Endpoint[] }>(options, 'GET', '')
  const result = data.find((endpoint) => endpoint.url === url)
  if (!result) {
    const { secret } = await request<{ secret: string }>(options, 'POST', '', { url })
    return { secret, origin: 'created' }
  }
  if (result.status !== 'enabled')
    await request(options, 'PATCH', `/${result.id}`, { status: 'enabled' })
  const rotate = `/${result.id}/rotate_secret`
  const { secret } = await request<{ secret: string }>(options, 'POST', rotate, {
    overlap_hours: 0,
  })
  return { secret, origin: 'kept' }
}

async function request<ResponseBody>(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<ResponseBody> {
  const response = await fetch(`${baseUrl}/v1/webhook_endpoints${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.ok) return (await response.json()) as ResponseBody
  throw new Failure(
    `The server returned ${response.status} for the webhook endpoint of the shop: ${await response.text()}`,
  )
}

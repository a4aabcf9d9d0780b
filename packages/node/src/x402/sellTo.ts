import { x402Headers } from '@payment-intents/contract'
import type { createSeller } from './createSeller.ts'

/** Answers a Fetch request by `answer` once it is paid for; shared by the Hono and Next.js adapters. */
export async function sellTo(
  request: Request,
  sell: ReturnType<typeof createSeller>,
  answer: () => Promise<Response>,
): Promise<Response> {
  const signature = request.headers.get(x402Headers.signature)
  const sold = await sell({ url: request.url, signature })
  if (sold.type === 'answered') {
    return new Response(sold.body, { status: sold.status, headers: sold.headers })
  }
  const response = await answer()
  // Those of a response that was fetched cannot be changed.
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(sold.headers)) {
    if (name !== 'cache-control' || !headers.has(name)) headers.set(name, value)
  }
  const { status, statusText, body } = response
  return new Response(body, { status, statusText, headers })
}

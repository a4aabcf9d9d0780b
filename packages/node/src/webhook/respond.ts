import type { HandleWebhook } from './handleWebhook.ts'
import { readBody } from './readBody.ts'

/** Responds to a Fetch request; shared by the Hono and Next.js adapters. */
export async function respond(request: Request, receive: HandleWebhook): Promise<Response> {
  // A request whose body was already read is passed on, so that the error says so.
  const rawBody = request.bodyUsed ? request : readBody(request.body ?? emptyStream())
  const { status, body } = await receive(rawBody, request.headers)
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}

async function* emptyStream(): AsyncGenerator<never> {}

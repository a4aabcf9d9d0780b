import { handleWebhook, type OnEvent, type WebhookHandlerOptions } from './handleWebhook.ts'
import { readBody } from './readBody.ts'

/** Answers a Fetch request; shared by the Hono and Next.js adapters. */
export async function respond(
  request: Request,
  onEvent: OnEvent,
  options: WebhookHandlerOptions,
): Promise<Response> {
  // A request whose body was already read is passed on, so that the error says so.
  const rawBody = request.bodyUsed ? request : readBody(request.body ?? emptyStream())
  const { status, body } = await handleWebhook(rawBody, request.headers, onEvent, options)
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}

async function* emptyStream(): AsyncGenerator<never> {}

import { handleWebhook, type OnEvent, type WebhookHandlerOptions } from './handleWebhook.ts'
import { readBody } from './readBody.ts'

/** Answers a Fetch request; what Hono, Next.js and the runtimes of the edge have in common. */
export async function respond(
  request: Request,
  onEvent: OnEvent,
  options: WebhookHandlerOptions,
): Promise<Response> {
  // One that was read before is passed on as it is, and told of in the error.
  const rawBody = request.bodyUsed ? request : readBody(request.body ?? emptyStream())
  const { status, body } = await handleWebhook(rawBody, request.headers, onEvent, options)
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}

async function* emptyStream(): AsyncGenerator<never> {}

import type { FastifyReply } from 'fastify'
import type { Page } from '../db/page.ts'

/** Answers with JSON text as it is, for the merchant's eyes only. */
export function sendJson(reply: FastifyReply, text: string): string {
  reply.type('application/json; charset=utf-8').header('cache-control', 'no-store')
  return text
}

/** Answers with one page of a list, each item as the JSON text that `present` gives. */
export function sendPage<Item>(
  reply: FastifyReply,
  page: Page<Item>,
  present: (item: Item) => string,
): string {
  const data = page.items.map(present).join(',')
  return sendJson(reply, `{"data":[${data}],"has_more":${page.hasMore}}`)
}

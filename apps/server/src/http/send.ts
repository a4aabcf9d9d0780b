import type { FastifyReply } from 'fastify'
import type { Page } from '../db/page.ts'

/** Answers with JSON text as it is, for the merchant's eyes only. */
export function sendJson(reply: FastifyReply, text: string): string {
  reply.type('application/json; charset=utf-8').header('cache-control', 'no-store')
  return text
}

/** One page of a list as JSON text, each item as the JSON text that `present` gives. */
export function pageText<Item>(page: Page<Item>, present: (item: Item) => string): string {
  return `{"data":[${page.items.map(present).join(',')}],"has_more":${page.hasMore}}`
}

import { createServer, type RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { webhookHandler as forExpress } from '../src/webhook/express.ts'
import { webhookRoute as forFastify } from '../src/webhook/fastify.ts'
import type { OnEvent, WebhookHandlerOptions } from '../src/webhook/handleWebhook.ts'
import { webhookHandler as forHono } from '../src/webhook/hono.ts'
import { webhookHandler as forNext } from '../src/webhook/next.ts'
import { listenInTest } from './stubServer.ts'

/** Starts a server that receives webhooks and returns their URL. */
type Receiver = (onEvent: OnEvent, options?: WebhookHandlerOptions) => Promise<string>

/** Otherwise Hono's `Response` would stay for the tests of other files. */
export const keepGlobals = { overrideGlobalObjects: false }

/** A receiver for each adapter, with its framework. */
export const receivers: readonly (readonly [name: string, Receiver])[] = [
  [
    'Express',
    (onEvent, options) => listen(express().post('/webhooks', forExpress(onEvent, options))),
  ],
  [
    'Fastify',
    async (onEvent, options) => {
      const app = fastify()
      app.register(forFastify('/webhooks', onEvent, options))
      await app.ready()
      return listen(app.routing)
    },
  ],
  [
    'Hono',
    (onEvent, options) => {
      const app = new Hono().post('/webhooks', forHono(onEvent, options))
      return listen(getRequestListener(app.fetch, keepGlobals))
    },
  ],
  [
    'Next.js',
    (onEvent, options) => listen(getRequestListener(forNext(onEvent, options), keepGlobals)),
  ],
]

/** The URL of `/webhooks`; the server is closed after the test. */
export async function listen(listener: RequestListener): Promise<string> {
  const { url } = await listenInTest(createServer(listener))
  return `${url}/webhooks`
}

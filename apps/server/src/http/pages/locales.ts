import { readdirSync, readFileSync } from 'node:fs'
import { HttpError } from '@payment-intents/core'
import type { FastifyInstance } from 'fastify'
import { allowAnyOrigin } from '../transport/cors.ts'
import { sendFile, staticFile } from '../transport/staticFile.ts'

/**
 * The messages of the script-tag checkout, in a file for each language. The English file has only the messages that the
 * script lacks. All files are read at the start, so that no request names a file.
 */
export function localesRoute(app: FastifyInstance): void {
  const folder = new URL('locales/', import.meta.resolve('@payment-intents/browser/script.js'))
  const locales = new Map(
    readdirSync(folder).map((name) => [
      name.replace('.json', ''),
      staticFile('application/json; charset=utf-8', readFileSync(new URL(name, folder))),
    ]),
  )
  const message = `These languages are here: ${[...locales.keys()].join(', ')}.`
  app.get<{ Params: { language: string } }>(
    '/v1/locales/:language.json',
    { onRequest: allowAnyOrigin },
    async (request, reply) => {
      const locale = locales.get(request.params.language)
      if (!locale) throw new HttpError('not_found', message)
      return sendFile(request, reply, locale)
    },
  )
}

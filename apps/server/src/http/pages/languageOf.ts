import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyRequest } from 'fastify'

const folder = new URL('locales/', import.meta.resolve('@payment-intents/browser/script.js'))
const languages = readdirSync(folder).map((name) => name.replace('.json', ''))

/** The language that the checkout will choose: the link's, or else the first of the payer's that exists, or English. */
export function languageOf({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): {
  /** BCP 47 tag. */
  tag: string
  direction: 'ltr' | 'rtl'
} {
  const { locale } = query as { locale?: unknown }
  const requested =
    typeof locale === 'string' ? [locale] : (headers['accept-language'] ?? '').split(',')
  const tags = requested.map((tag) => tag.replace(/;.*/, '').trim())
  const tag = tags.find((tag) => languages.includes(languageIn(tag)) && isTag(tag)) ?? 'en'
  return { tag, direction: languageIn(tag) === 'ar' ? 'rtl' : 'ltr' }
}

/** The title of a page on which the payee is not known yet. */
export function nameOfPayment(language: string): string {
  const file = new URL(`${languages.includes(language) ? language : 'en'}.json`, folder)
  const { nameless = 'Payment' } = JSON.parse(readFileSync(file, 'utf8')) as { nameless?: string }
  return nameless
}

function languageIn(tag: string): string {
  return tag.toLowerCase().split('-')[0] ?? ''
}

function isTag(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

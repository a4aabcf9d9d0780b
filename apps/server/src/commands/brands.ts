import { readFile } from 'node:fs/promises'
import type { Picture } from '@payment-intents/core'
import { readAccent } from '../lib/brand/brandStyle.ts'
import { logoOf, logoPath } from '../lib/brand/logo.ts'
import type { Queryable } from '../store/connection/connect.ts'
import { findBrand, removeBrand, setBrand } from '../store/merchants/brands.ts'
import { type Command, lines, UsageError } from './command.ts'

export const brandCommands: Record<string, Command> = {
  'brand set': {
    subject: 'MERCHANT',
    async run(db, subject, { accent, logo }) {
      const changes = {
        ...(accent === undefined ? {} : { accent: readColor(accent) }),
        ...(logo === undefined ? {} : { logo: await readLogo(logo) }),
      }
      if (Object.keys(changes).length === 0) throw new UsageError('Give --accent, --logo, or both.')
      await setBrand(db, { merchantId: subject, ...changes })
      return show(db, subject)
    },
  },
  'brand show': {
    subject: 'MERCHANT',
    run: (db, subject) => show(db, subject),
  },
  'brand remove': {
    subject: 'MERCHANT',
    async run(db, subject) {
      if (await removeBrand(db, subject)) return subject
      throw new UsageError(`${subject} has no brand.`)
    },
  },
}

async function show(db: Queryable, merchantId: string): Promise<string> {
  const found = await findBrand(db, merchantId)
  if (!found) throw new UsageError(`No merchant ${merchantId}.`)
  const { accent, logo, logoType, logoBytes } = found
  return lines([
    ...(accent ? [['accent', accent]] : []),
    ...(logo ? [['logo', logoType ?? '', `${logoBytes} bytes`, logoPath(logo)]] : []),
  ])
}

function readColor(given: string): string {
  const accent = readAccent(given)
  if (accent) return accent
  throw new UsageError('--accent must be # and six hexadecimal digits, such as #0a7d5c.')
}

async function readLogo(path: string): Promise<Picture> {
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--logo: ${path} cannot be read (${error.code}).`)
  })
  const logo = logoOf(content)
  if (typeof logo === 'string') throw new UsageError(`--logo ${logo}`)
  return logo
}

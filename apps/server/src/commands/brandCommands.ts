import { readFile } from 'node:fs/promises'
import { logoOf, logoPath, type Picture } from '@payment-intents/core'
import type { Queryable } from '../store/connection/connect.ts'
import { findBrand } from '../store/merchants/brands.ts'
import {
  type Command,
  changeSettings,
  lines,
  readSetting,
  UsageError,
  unknownMerchant,
} from './command.ts'

export const brandCommands: Record<string, Command> = {
  'brand set': {
    subject: 'MERCHANT',
    async run(db, subject, { accent, logo }, setting) {
      const change = {
        ...(accent === undefined ? {} : { accent: readSetting('accent', '--accent', accent) }),
        ...(logo === undefined ? {} : { logo: await readLogo(logo) }),
      }
      if (Object.keys(change).length === 0)
        throw new UsageError('brand set needs --accent, --logo, or both.')
      await changeSettings(setting, subject, change)
      return show(db, subject)
    },
  },
  'brand show': {
    subject: 'MERCHANT',
    run: (db, subject) => show(db, subject),
  },
  'brand remove': {
    subject: 'MERCHANT',
    async run(db, subject, _options, setting) {
      const { accent, logo } = await find(db, subject)
      if (accent === null && logo === null) throw new UsageError(`${subject} has no brand.`)
      await changeSettings(setting, subject, { accent: null, logo: null })
      return subject
    },
  },
}

async function find(db: Queryable, merchantId: string) {
  const brand = await findBrand(db, merchantId)
  if (!brand) throw unknownMerchant(merchantId)
  return brand
}

async function show(db: Queryable, merchantId: string): Promise<string> {
  const { accent, logo, logoType, logoBytes } = await find(db, merchantId)
  return lines([
    ...(accent ? [['accent', accent]] : []),
    ...(logo ? [['logo', logoType ?? '', `${logoBytes} bytes`, logoPath(logo)]] : []),
  ])
}

async function readLogo(path: string): Promise<Picture> {
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--logo: ${path} cannot be read (${error.code}).`)
  })
  const logo = logoOf(content)
  if (typeof logo === 'string') throw new UsageError(`--logo ${logo}`)
  return logo
}

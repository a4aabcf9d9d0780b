import { files } from '../../../packages/browser/src/locales/files.ts'
import { catalogue } from './catalogue.ts'
import { photograph, sideBySide } from './picture.ts'
import type { World } from './screensWorld.ts'

/** The checkout's languages; English, the fallback, first. */
export const languages = ['en', ...Object.keys(files)]

const key = ['pay-wallets', 'wallet-confirming', 'confirming', 'paid']

/** The four screens of every payment, side by side. */
export async function drawLanguages(world: World, language: string): Promise<Buffer> {
  const pictures = []
  for (const entry of catalogue.filter(({ name }) => key.includes(name))) {
    pictures.push(...(await photograph(world, entry, language, ['light'])))
  }
  return sideBySide(pictures)
}

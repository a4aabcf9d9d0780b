import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

export type Example = {
  /** Path of the file that shows it, from the root. */
  readonly file: string
  /** Like `packages-node-README-md-2`: names its place, and can be a file's name. */
  readonly name: string
  readonly language: 'ts' | 'tsx' | 'html' | 'sh' | 'sql'
  readonly code: string
}

const root = join(import.meta.dirname, '../../../..')

/** Every code block of these files, in order; those in comments of sources too. */
export function examplesOf(...patterns: string[]): Example[] {
  const files = globSync(patterns, { cwd: root, exclude: (path) => path.includes('.test') })
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8').replaceAll(/^ *\* ?/gm, '')
    const blocks = [...text.matchAll(/^```(ts|tsx|html|sh|sql)\n(.*?)^```/gms)]
    return blocks.map(([, language, code = ''], index) => ({
      file,
      name: `${file.replaceAll(/\W/g, '-')}-${index + 1}`,
      language: language as Example['language'],
      code,
    }))
  })
}

/** Whether an example is page code. */
export function isForPage({ language, code }: Example): boolean {
  if (language === 'html' || language === 'tsx') return true
  return /from '@payment-intents\/(browser|react|testing\/wallet)'/.test(code)
}

/** Whether an example is a test, which only its runner runs. */
export function isTest({ code }: Example): boolean {
  return /from 'vitest'/.test(code)
}

/** An example with its placeholders filled in: the service's address, an intent there, its secret, and a payment link. */
export function filledIn(
  example: Example,
  intent: { id: string; client_secret: string },
  link = 'plink_…',
): string {
  return example.code
    .replaceAll('https://pay.example.com', inject('service').url)
    .replaceAll('https://shop.example.com', 'http://localhost:9')
    .replaceAll('pi_…_secret_…', intent.client_secret)
    .replaceAll('pi_…', intent.id)
    .replaceAll('plink_…', link)
    .replaceAll('mer_…', inject('service').merchantId)
}

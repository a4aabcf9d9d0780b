import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { limits } from '@payment-intents/contract'
import { UsageError } from '../usageError.ts'

const types = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.webp', 'image/webp'],
])

/** A file as a data URL. The service checks its content. @throws UsageError */
export function readPicture(path: string): string {
  const type = types.get(extname(path).toLowerCase())
  if (!type) throw new UsageError('--picture must be a file that ends in .png, .jpg or .webp.')
  return `data:${type};base64,${readFile(path).toString('base64')}`
}

function readFile(path: string): Buffer {
  try {
    const { size } = statSync(path)
    if (size <= limits.pictureBytes) return readFileSync(path)
  } catch {
    throw new UsageError('--picture must be a file that can be read, like ./lesson.png.')
  }
  throw new UsageError(`--picture must have at most ${limits.pictureBytes / 1000} kB.`)
}

import { UsageError } from './usageError.ts'

/** @throws UsageError */
export function readFormat(value: string): 'text' | 'json' {
  const format = value.toLowerCase()
  if (format === 'text' || format === 'json') return format
  throw new UsageError('--format must be text or json.')
}

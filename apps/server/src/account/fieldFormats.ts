import { z } from 'zod'

/** Formats a time for a response (RFC 3339). @param ms Unix milliseconds */
export function toRfc3339(ms: number): string {
  return new Date(ms).toISOString()
}

/** A name or a label, on a single line. */
export const singleLineText = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !/\p{Cc}/u.test(text), 'must be one line, without tabs')

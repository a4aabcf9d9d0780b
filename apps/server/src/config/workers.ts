import { z } from 'zod'

const maxWorkers = 64

/**
 * `WORKERS`: how many processes serve the port; 1 by default.
 * @param cores the number for `auto`, up to the maximum
 */
export function workers(cores: number) {
  return z
    .string()
    .regex(/^\s*(auto|\d{1,2})\s*$/i)
    .transform((text) => (/auto/i.test(text) ? Math.min(cores, maxWorkers) : Number(text)))
    .pipe(z.int().min(1).max(maxWorkers))
    .default(1)
    .describe(`a whole number from 1 to ${maxWorkers}, such as 2, or auto for one per core`)
}

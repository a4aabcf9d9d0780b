import type { Hex } from 'viem'
import { z } from 'zod'

export const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as Hex)
export const quantity = hex.refine((text) => text !== '0x').transform((text) => BigInt(text))

import { z } from 'zod'
import { type Chain, chainNames } from '../../chains.ts'
import { chainSchema, limits, modeSchema } from '../paymentIntent.ts'
import { pictureSchema } from '../paymentLink.ts'
import { responseObject } from '../responseObject.ts'

const { min: minimum, max: maximum } = limits.confirmations

/** An object with an optional property for each chain. */
function ofChains<Schema extends z.ZodType>(schema: Schema) {
  const shape = Object.fromEntries(chainNames.map((chain) => [chain, schema.optional()]))
  return shape as { [chain in Chain]: z.ZodOptional<Schema> }
}

/** Body of `PATCH /v1/settings`; omitted fields stay unchanged. */
export const updateSettingsSchema = z.strictObject({
  name: z.string().optional().meta({
    description: 'The name that payers see: one line of 1 to 200 characters.',
  }),
  default_chain: chainSchema.nullable().optional().meta({
    description: 'The chain of payment intents that name no chain; null: `base`.',
  }),
  brand: z
    .strictObject({
      accent: z.string().nullable().optional().meta({
        description: '`#` and six hexadecimal digits; null: the pages’ own color.',
      }),
      logo: pictureSchema.optional().meta({
        description: `A PNG, JPEG or WebP file as a data URL, of at most ${limits.pictureBytes} bytes, square, with ${limits.logoSide.min} to ${limits.logoSide.max} pixels a side. null removes it.`,
      }),
    })
    .optional(),
  support: z.string().nullable().optional().meta({
    description:
      'Contact of the merchant for payers: a mail address or an https URL of at most 200 characters; null: none.',
  }),
  guide: z.string().nullable().optional().meta({
    description:
      'A page about how to get USDC: an https URL of at most 200 characters; `none` hides the ways that the checkout shows, null shows them.',
  }),
  chains: z
    .strictObject(
      ofChains(
        z.strictObject({
          match_plain_price: z.boolean().optional().meta({
            description:
              'Whether a transfer of exactly the price, without reference or tag, pays the only open payment intent of that price at the registered wallet, whoever sent it.',
          }),
          confirmations_required: z
            .int()
            .min(minimum)
            .max(maximum)
            .nullable()
            .optional()
            .meta({
              description: `Confirmations of new payment intents, ${minimum} to ${maximum}; null: as many as the server requires.`,
            }),
        }),
      ),
    )
    .optional()
    .meta({ description: 'By chain, for the mode of the caller.' }),
})

const chainSettingsSchema = responseObject({
  wallet: z.string().nullable().meta({
    description: 'The wallet that is registered for the chain and mode; null: none.',
  }),
  match_plain_price: z.boolean(),
  confirmations_required: z.int().nullable().meta({
    description:
      'The value that the merchant has set; null: `server_confirmations_required` applies.',
  }),
  server_confirmations_required: z.int(),
})

/** The settings of a merchant. */
export const settingsSchema = responseObject({
  id: z.string().meta({ description: 'The id of the merchant: `mer_` and 30 characters.' }),
  mode: modeSchema.meta({ description: 'The mode of the caller, and of `chains`.' }),
  name: z.string(),
  default_chain: chainSchema.nullable(),
  brand: responseObject({
    accent: z.string().nullable().meta({ description: '`#rrggbb` in lower case.' }),
    logo: z.string().nullable().meta({
      description:
        'URL of the logo at the service; it holds the hash of the logo, so a new logo has a new URL. null: none.',
    }),
  }),
  support: z.string().nullable(),
  guide: z.string().nullable(),
  chains: responseObject(ofChains(chainSettingsSchema)).meta({
    description: 'The chains that the server follows in this mode.',
  }),
})

export type UpdateSettings = z.input<typeof updateSettingsSchema>
export type Settings = z.output<typeof settingsSchema>

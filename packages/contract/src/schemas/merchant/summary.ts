import { z } from 'zod'
import { chainSchema, limits, modeSchema, unitsSchema } from '../paymentIntent.ts'
import { responseObject } from '../responseObject.ts'
import { timeSchema } from '../time.ts'

/** Query of `GET /v1/summary`. Unknown parameters are refused. */
export const retrieveSummarySchema = z.strictObject({
  from: timeSchema.meta({
    description:
      'Start of the period: RFC 3339, on a quarter of an hour, like `2026-01-31T00:00:00+05:30`.',
  }),
  to: timeSchema.meta({
    description: `End of the period, itself not included: a whole number of hours after \`from\`, at most ${limits.summaryDays.total} days, ${limits.summaryDays.hourly} with \`interval=hour\`.`,
  }),
  interval: z.enum(['hour', 'day']).optional().meta({
    description:
      'The parts of `series`: hours, or days of `time_zone`. The first and the last day may be cut by the period.',
  }),
  time_zone: z.string().min(1).max(limits.idLength).optional().meta({
    description:
      'Time zone of the days of `interval=day`: a name of the IANA database, like `Europe/Berlin`. `UTC` by default.',
  }),
})

const amounts = {
  received_units: unitsSchema.meta({
    description:
      'The amount received for the payment intents that succeeded in this time: `amount_received_units` by `succeeded_at`, also of underpaid and late ones that were accepted. A payment that the chain has taken back is not counted.',
  }),
  refunded_units: unitsSchema.meta({
    description:
      '`amount_units` of the refunds that succeeded in this time, by their `succeeded_at`. Refunds of underpaid, late or unmatched transfers count too, although `received_units` leaves those out.',
  }),
  net_units: unitsSchema.meta({
    description: '`received_units` less `refunded_units`; may be negative.',
  }),
  payments_count: z.int().meta({ description: 'Payment intents that succeeded in this time.' }),
  refunds_count: z.int().meta({ description: 'Refunds that succeeded in this time.' }),
}

const cohort = {
  created_count: z.int().meta({
    description:
      'Payment intents created in this time, also those that were deleted since because nobody paid them.',
  }),
  opened_count: z.int().meta({ description: 'Those of them that a checkout has opened.' }),
  paid_count: z.int().meta({
    description: 'Those of them that have succeeded, in this time or later.',
  }),
}

/** Response of `GET /v1/summary`. */
export const summarySchema = responseObject({
  from: timeSchema,
  to: timeSchema,
  mode: modeSchema,
  totals: responseObject({
    ...amounts,
    ...cohort,
    median_seconds_to_paid: z
      .int()
      .nullable()
      .meta({
        description: `The median of the time from \`created_at\` to \`succeeded_at\`, of the newest ${limits.summaryMedian} payments of the period; null without payments.`,
      }),
  }),
  by: z
    .array(
      responseObject({
        chain: chainSchema,
        bound_by: z.string().nullable().meta({
          description:
            'The match of the transfer that completed the payments, as `bound_by` of a transfer: `authorization` without gas and by x402, `reference` from a wallet, `payable_amount` by hand. null: the refunds on this chain. Accept values added later.',
        }),
        ...amounts,
      }),
    )
    .meta({ description: 'The same amounts by chain and by match.' }),
  series: z
    .array(responseObject({ from: timeSchema, to: timeSchema, ...amounts, ...cohort }))
    .nullable()
    .meta({ description: 'The period in parts, one after the other; null without `interval`.' }),
})

export type RetrieveSummary = z.input<typeof retrieveSummarySchema>
export type Summary = z.output<typeof summarySchema>

import type { z } from 'zod'
import { attentionEndpoints } from './attentionEndpoints.ts'
import { eventEndpoints } from './eventEndpoints.ts'
import { exportEndpoints } from './exportEndpoints.ts'
import { paymentIntentEndpoints } from './paymentIntentEndpoints.ts'
import { paymentLinkEndpoints } from './paymentLinkEndpoints.ts'
import { refundEndpoints } from './refundEndpoints.ts'
import { settingsEndpoints } from './settingsEndpoints.ts'
import { transferEndpoints } from './transferEndpoints.ts'
import { webhookEndpoints } from './webhookEndpoints.ts'

/** Every published endpoint, by its `operationId`. */
export const endpoints = {
  ...paymentIntentEndpoints,
  ...eventEndpoints,
  ...transferEndpoints,
  ...exportEndpoints,
  ...attentionEndpoints,
  ...refundEndpoints,
  ...paymentLinkEndpoints,
  ...settingsEndpoints,
  ...webhookEndpoints,
}

/** The `operationId` of an endpoint. */
export type Operation = keyof typeof endpoints

type SchemaOf<Name extends Operation, Part extends 'query' | 'body'> =
  (typeof endpoints)[Name] extends Readonly<Record<Part, infer Schema extends z.ZodType>>
    ? Schema
    : z.ZodUndefined

/** A request to an endpoint, as its schemas parse it. */
export type RequestOf<Name extends Operation> = {
  /** From the path; empty if the path has no id. */
  readonly id: string
  readonly query: z.output<SchemaOf<Name, 'query'>>
  readonly body: z.output<SchemaOf<Name, 'body'>>
}

import type { PaymentLink } from '@payment-intents/contract'
import type { Client } from '@payment-intents/node'
import { usdc } from '../find/lines.ts'
import { jsonLine } from '../output/asJson.ts'
import { plain } from '../output/plain.ts'
import type { LinkCommand } from './readLink.ts'

/** Creates a link, or lists them, newest first. @returns the output, line by line */
export async function* runLink(client: Client, command: LinkCommand): AsyncGenerator<string> {
  if (command.action === 'create') {
    const link = await client.paymentLinks.create(command.params)
    yield command.json ? jsonLine(link) : plain(link.url)
    return
  }
  const filter = command.active ? { active: true } : {}
  for await (const link of client.paymentLinks.list({ ...filter, limit: 100 })) {
    yield command.json ? jsonLine(link) : lineOf(link)
  }
}

function lineOf(link: PaymentLink): string {
  const { active, max_payments: max, payments_count: count } = link
  const paid = max === null ? '' : `  paid ${count} of ${max}`
  const state = active ? '' : '  not active'
  return plain(`${link.url}  ${amountOf(link)}${paid}${state}  ${link.description}`)
}

function amountOf({ amount_units: amount, min_units: min, max_units: max }: PaymentLink): string {
  if (amount !== null) return usdc(amount)
  const bounds = [...(min ? [`from ${usdc(min)}`] : []), ...(max ? [`to ${usdc(max)}`] : [])]
  return ['open', ...bounds].join(' ')
}

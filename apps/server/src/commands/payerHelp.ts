import { readGuide, readSupport } from '@payment-intents/core'
import type { Queryable } from '../store/connection/connect.ts'
import { findPayerHelp, type PayerHelp, setPayerHelp } from '../store/merchants/payerHelp.ts'
import { type Command, UsageError } from './command.ts'

export const payerHelpCommands: Record<string, Command> = {
  ...commandsOf('support', {
    ...{ option: 'contact', read: readSupport, called: 'support contact' },
    must: 'be a mail address, such as help@shop.example, or an https:// URL, of at most 200 characters',
  }),
  ...commandsOf('guide', {
    ...{ option: 'page', read: readGuide, called: 'guide' },
    must: 'be an https:// URL of at most 200 characters, or none to hide the ways to get USDC',
  }),
}

type Setting = {
  option: string
  /** null: it is refused. */
  read: (text: string) => string | null
  called: string
  must: string
}

function commandsOf(help: PayerHelp, { option, read, called, must }: Setting) {
  return {
    [`${help} set`]: {
      subject: 'MERCHANT',
      async run(db, subject, options) {
        const text = read(options[option] ?? '')
        if (text === null) throw new UsageError(`--${option} must ${must}.`)
        if (await setPayerHelp(db, subject, help, text)) return text
        throw new UsageError(`No merchant ${subject}.`)
      },
    },
    [`${help} show`]: {
      subject: 'MERCHANT',
      run: async (db, subject) => (await existing(db, subject, help)) ?? '',
    },
    [`${help} remove`]: {
      subject: 'MERCHANT',
      async run(db, subject) {
        if ((await existing(db, subject, help)) === null) {
          throw new UsageError(`${subject} has no ${called}.`)
        }
        await setPayerHelp(db, subject, help, null)
        return subject
      },
    },
  } satisfies Record<string, Command>
}

async function existing(
  db: Queryable,
  merchantId: string,
  help: PayerHelp,
): Promise<string | null> {
  const merchant = await findPayerHelp(db, merchantId)
  if (!merchant) throw new UsageError(`No merchant ${merchantId}.`)
  return merchant[help]
}

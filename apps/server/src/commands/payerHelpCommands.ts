import type { Queryable } from '../store/connection/connect.ts'
import { findSettings } from '../store/merchants/settings.ts'
import {
  type Command,
  changeSettings,
  readSetting,
  UsageError,
  unknownMerchant,
} from './command.ts'

export const payerHelpCommands: Record<string, Command> = {
  ...commandsOf('support', { option: 'contact', called: 'support contact' }),
  ...commandsOf('guide', { option: 'page', called: 'guide' }),
}

/** A merchant's help for payers: a contact, and a page about how to get USDC. */
type PayerHelp = 'support' | 'guide'

function commandsOf(
  help: PayerHelp,
  { option, called }: { readonly option: 'contact' | 'page'; readonly called: string },
) {
  return {
    [`${help} set`]: {
      subject: 'MERCHANT',
      async run(_db, subject, options, setting) {
        const text = readSetting(help, `--${option}`, options[option])
        await changeSettings(setting, subject, { [help]: text })
        return text
      },
    },
    [`${help} show`]: {
      subject: 'MERCHANT',
      run: async (db, subject) => (await existing(db, subject, help)) ?? '',
    },
    [`${help} remove`]: {
      subject: 'MERCHANT',
      async run(db, subject, _options, setting) {
        if ((await existing(db, subject, help)) === null) {
          throw new UsageError(`${subject} has no ${called}.`)
        }
        await changeSettings(setting, subject, { [help]: null })
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
  // Counts both modes.
  const settings = await findSettings(db, { merchantId, mode: 'testnet' })
  if (!settings) throw unknownMerchant(merchantId)
  return settings[help]
}

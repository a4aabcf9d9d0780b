import { chainFacts, chainSchema, modeSchema } from '@payment-intents/contract'
import { askForRescan } from '../db/chains/cursors.ts'
import { type Command, oneOf, UsageError } from './command.ts'

export const chainCommands: Record<string, Command> = {
  'chain rescan': {
    subject: null,
    async run(db, _subject, options) {
      const mode = oneOf(modeSchema.options, '--mode', options.mode)
      const { chainId, name } = chainFacts(
        mode,
        oneOf(chainSchema.options, '--chain', options.chain),
      )
      const [from, to] = [readBlock('--from', options.from), readBlock('--to', options.to)]
      if (from > to) throw new UsageError('--from is after --to.')
      await askForRescan(db, { chainId, from, to })
      return `${name}: blocks ${from} to ${to} are read once more by the server that follows it.`
    },
  },
}

function readBlock(flag: string, text: string | undefined): bigint {
  if (!/^\d{1,15}$/.test(text ?? '')) throw new UsageError(`${flag} needs the number of a block.`)
  return BigInt(text ?? '')
}

import { chainFacts, chainSchema, modeSchema } from '@payment-intents/contract'
import { requestRescan } from '../store/chains/cursors.ts'
import { dismissQuarantined } from '../store/chains/deferredTransactions.ts'
import { type Command, enumValue, type Options, UsageError } from './command.ts'

export const chainCommands: Record<string, Command> = {
  'chain rescan': {
    subject: null,
    async run(db, _subject, options) {
      const { chainId, name } = readChain(options)
      const [from, to] = [readBlock('--from', options.from), readBlock('--to', options.to)]
      if (from > to) throw new UsageError('--from is after --to.')
      await requestRescan(db, { chainId, from, to })
      return `${name}: the server that follows it reads blocks ${from} to ${to} again.`
    },
  },
  'chain dismiss': {
    subject: 'TX_HASH',
    async run(db, subject, options) {
      const txHash = subject.toLowerCase()
      if (!/^0x[0-9a-f]{64}$/.test(txHash))
        throw new UsageError('TX_HASH must be 0x and 64 hexadecimal digits.')
      const { chainId, name } = readChain(options)
      if ((await dismissQuarantined(db, chainId, txHash)) === 'not_quarantined')
        throw new UsageError(`${name}: ${txHash} is not in quarantine.`)
      return `${name}: ${txHash} is no longer reported. The server reads it again from time to time, and records it if a provider shows it.`
    },
  },
}

function readChain(options: Options) {
  const mode = enumValue(modeSchema.options, '--mode', options.mode)
  return chainFacts(mode, enumValue(chainSchema.options, '--chain', options.chain))
}

function readBlock(flag: string, text: string | undefined): bigint {
  if (!/^\d{1,15}$/.test(text ?? '')) throw new UsageError(`${flag} needs the number of a block.`)
  return BigInt(text ?? '')
}

import type { Chain } from '@payment-intents/contract'
import { useState } from 'react'
import { changeAccount } from '../../api/account.ts'
import { currentMode } from '../../api/mode.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { texts } from '../../texts.ts'
import { signText } from '../../wallet/sign.ts'
import { WalletButtons } from '../../wallet/WalletButtons.tsx'

const words = texts.settings.wallets

/** Proves by a signature that the merchant holds the key of a wallet. */
export function ProveWallet(props: {
  address: string
  chain: Chain
  onProved: () => Promise<unknown>
}) {
  const { address, chain, onProved } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {words.prove}
      </button>
      {isOpen && (
        <Dialog title={words.prove} onClose={() => setOpen(false)}>
          <p>{words.proveText}</p>
          <WalletButtons
            onChoose={async (wallet) => {
              const started = { mode: currentMode(), address, chain }
              const { message } = await changeAccount<{ message: string }>(
                'POST',
                '/account/wallet_proofs/message',
                started,
              )
              const signature = await signText(wallet, address, message)
              await changeAccount('POST', '/account/wallet_proofs', { address, message, signature })
              setOpen(false)
              await onProved()
            }}
          />
          <div className="actions">
            <button type="button" onClick={() => setOpen(false)}>
              {texts.back}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

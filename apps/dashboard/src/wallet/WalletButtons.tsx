import { useState } from 'react'
import { messageOf } from '../parts/Failure.tsx'
import { cleanText } from '../parts/values/cleanText.ts'
import { texts } from '../texts.ts'
import { WalletRefusal } from './sign.ts'
import { useWallets, type Wallet } from './useWallets.ts'

/** Wallets choose their own names, of any length. */
const longestName = 40

/** A button for each wallet of this browser, which requests a signature. */
export function WalletButtons({ onChoose }: { onChoose: (wallet: Wallet) => Promise<unknown> }) {
  const wallets = useWallets()
  const [isSigning, setSigning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const choose = async (wallet: Wallet) => {
    setSigning(true)
    setError(null)
    await onChoose(wallet).catch(setError)
    setSigning(false)
  }
  if (wallets.length === 0) return <p className="note">{texts.wallet.none}</p>
  return (
    <div className="stack">
      <div className="row">
        {wallets.map((wallet) => (
          <button
            key={wallet.id}
            type="button"
            disabled={isSigning}
            onClick={() => void choose(wallet)}
          >
            {wallet.icon && <img src={wallet.icon} alt="" width={20} height={20} />}
            {texts.wallet.signWith(cleanText(wallet.name ?? texts.wallet.nameless, longestName))}
          </button>
        ))}
      </div>
      {isSigning && <p role="status">{texts.wallet.waiting}</p>}
      {error ? (
        <p className="note bad" role="alert">
          {error instanceof WalletRefusal ? error.message : messageOf(error)}
        </p>
      ) : null}
    </div>
  )
}

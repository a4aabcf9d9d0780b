import type { Intent } from '../parseIntent.ts'
import { gaslessOf } from '../wallet/authorization.ts'
import type { Wallet } from '../wallet/discoverWallets.ts'
import { h } from './h.ts'
import { Icon } from './Icon.tsx'
import { shorten, timeLeft, type View } from './view.ts'

type Props = { view: View; intent: Intent; alone: boolean }

export function WalletPanel({ view, intent, alone }: Props) {
  const { t, merchant, state, actions, walletName } = view
  const { name: network, native_symbol: symbol } = intent.network
  if (state.wallets.length === 0) return view.byHand()?.NoWallet({ view, alone }) ?? <div />
  return (
    <div>
      <ul class="wallets">
        {state.wallets.map((wallet) => (
          <li key={wallet.id}>
            <button
              type="button"
              part="wallet"
              aria-disabled={String(!timeLeft(intent, view.now))}
              onclick={() => actions.pay(wallet)}
            >
              <WalletIcon wallet={wallet} />
              <span class="name">{walletName(wallet)}</span>
              <Icon name="chevron" />
            </button>
          </li>
        ))}
      </ul>
      {!gaslessOf(intent, view.now) && <p class="fine">{t('gas', { network, symbol })}</p>}
      <p class="fine">{t('direct', { merchant, address: shorten(intent.expected_wallet) })}</p>
    </div>
  )
}

export function WalletIcon({ wallet }: { wallet: Pick<Wallet, 'icon'> }) {
  return (
    <span class="wallet-icon">
      {wallet.icon ? <img src={wallet.icon} alt="" /> : <Icon name="wallet" />}
    </span>
  )
}

import type { Intent } from '../parseIntent.ts'
import type { Wallet } from '../wallet/discoverWallets.ts'
import { h } from './h.ts'
import { Icon } from './Icon.tsx'
import { shorten, type View } from './view.ts'

type Props = { view: View; intent: Intent; alone: boolean }

const walletFinder = 'https://ethereum.org/wallets/find-wallet/'

export function WalletPanel({ view, intent, alone }: Props) {
  const { messages, merchant, state, actions, walletName } = view
  if (state.wallets.length === 0) return <NoWallet view={view} alone={alone} />
  return (
    <div>
      <ul class="wallets">
        {state.wallets.map((wallet) => (
          <li key={wallet.id}>
            <button type="button" part="wallet" onclick={() => actions.pay(wallet)}>
              <WalletIcon wallet={wallet} />
              <span class="name">{walletName(wallet)}</span>
              <Icon name="chevron" />
            </button>
          </li>
        ))}
      </ul>
      <p class="fine">{messages.direct(merchant, shorten(intent.expected_wallet))}</p>
    </div>
  )
}

export function WalletIcon({ wallet }: { wallet: Wallet }) {
  return (
    <span class="wallet-icon">
      {wallet.icon ? <img src={wallet.icon} alt="" /> : <Icon name="wallet" />}
    </span>
  )
}

function NoWallet({ view, alone }: { view: View; alone: boolean }) {
  const { noWallet, payByQr } = view.messages
  return (
    <div class="figure">
      <span class="mark">
        <Icon name="wallet" />
      </span>
      <h3>{noWallet.title}</h3>
      <p class="text">{noWallet.text}</p>
      {!alone && (
        <button
          type="button"
          class="primary"
          part="button"
          onclick={() => view.actions.chooseRail('qr')}
        >
          {payByQr}
        </button>
      )}
      <a class="quiet" href={walletFinder} target="_blank" rel="noopener noreferrer">
        {noWallet.find} <Icon name="external" />
      </a>
    </div>
  )
}

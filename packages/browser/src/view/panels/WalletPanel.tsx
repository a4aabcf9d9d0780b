import type { Screen } from '../../checkout/screen.ts'
import { priceDue } from '../../lib/amount.ts'
import { gaslessOf } from '../../wallet/authorization.ts'
import type { Wallet } from '../../wallet/provider/discoverWallets.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { ExternalLink } from '../parts/ExternalLink.tsx'
import { h } from '../parts/h.ts'
import { Icon } from '../parts/Icon.tsx'
import { explorerLink, remainingMs, shorten, type View } from '../view.ts'

type Props = { view: View; shown: Screen & { name: 'pay' } }

export function WalletPanel({ view, shown }: Props) {
  const { intent, units, availableMethods } = shown
  const { t, merchant, state, actions, amount, walletName } = view
  const { name: network, native_symbol: symbol } = intent.network
  if (state.wallets.length === 0) {
    const isOnlyMethod = availableMethods.length === 1
    return (
      view.manualParts()?.NoWallet({ view, intent, units: priceDue(intent), isOnlyMethod }) ?? (
        <div />
      )
    )
  }
  const explorer = explorerLink(intent, 'address', intent.expected_wallet)
  // A second request is never the primary action.
  const isOnly = state.wallets.length === 1 && shown.openRequest === 'none'
  return (
    <div>
      <ul class="wallets">
        {state.wallets.map((wallet) => (
          <li key={wallet.id}>
            <button
              type="button"
              class={isOnly ? 'primary' : wallet.isLast ? 'last' : ''}
              part="wallet"
              aria-disabled={String(!remainingMs(intent, view.now))}
              onclick={() => actions.pay(wallet)}
            >
              <WalletIcon wallet={wallet} />
              <span class="name">
                {isOnly
                  ? t('pay_with', {
                      amount: amount(intent, units),
                      wallet: walletName(wallet),
                    })
                  : walletName(wallet)}
              </span>
              {!isOnly && wallet.isLast && <span class="pill">{t('last_used')}</span>}
              {!isOnly && <Icon name="chevron" />}
            </button>
          </li>
        ))}
      </ul>
      {!gaslessOf(intent, view.now) && <p class="fine">{t('gas', { network, symbol })}</p>}
      <details class="fine">
        <summary>{t('direct', { merchant, address: shorten(intent.expected_wallet) })}</summary>
        <p class="mono">
          <bdi dir="ltr">{intent.expected_wallet}</bdi>
        </p>
        <div class="links">
          <CopyButton view={view} field="address" />
          {explorer && <ExternalLink href={explorer} text={t('explorer')} />}
        </div>
      </details>
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

import { h } from './h.ts'
import { Icon } from './Icon.tsx'
import { openers } from './openers.ts'
import type { View } from './view.ts'

const walletFinder = 'https://ethereum.org/wallets/find-wallet/'

export function NoWallet({ view, alone }: { view: View; alone: boolean }) {
  const { t, state } = view
  const { onPhone } = state
  // Without a handoff, this very page: its shop can open the checkout there again.
  const page = state.handoff === null ? view.link : (state.handoff ?? '')
  return (
    <div class="status">
      {!onPhone && (
        <span class="mark">
          <Icon name="wallet" />
        </span>
      )}
      <h3>{t(onPhone ? 'no_wallet.phone.title' : 'no_wallet.title')}</h3>
      <p class="text">{t(onPhone ? 'no_wallet.phone.text' : 'no_wallet.text')}</p>
      {onPhone && page !== null && (
        <ul class="wallets">
          {openers.map(([wallet, link]) => (
            // Another element until there is a link: Superfine would leave an empty one.
            <li key={page ? wallet : `${wallet} …`}>
              {page ? (
                <a part="wallet" rel="noopener noreferrer" href={link(page)}>
                  <span class="name">{t('no_wallet.open_in', { wallet })}</span>
                  <Icon name="external" />
                </a>
              ) : (
                <button type="button" part="wallet" aria-disabled="true">
                  <span class="name">{t('no_wallet.open_in', { wallet })}</span>
                  <Icon name="external" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {!alone && (
        <button
          type="button"
          class={onPhone ? 'quiet' : 'primary'}
          part="button"
          onclick={() => view.actions.chooseRail('qr')}
        >
          {t('pay_by_qr')}
        </button>
      )}
      <a
        class={alone && !onPhone ? 'primary' : 'quiet'}
        href={walletFinder}
        target="_blank"
        rel="noopener noreferrer"
      >
        {t('no_wallet.find')} <Icon name="external" />
      </a>
    </div>
  )
}

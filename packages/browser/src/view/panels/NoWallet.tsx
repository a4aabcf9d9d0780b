import type { Intent } from '../../service/parseIntent.ts'
import { walletDeepLinks } from '../content/walletDeepLinks.ts'
import { ExternalLink } from '../parts/ExternalLink.tsx'
import { h } from '../parts/h.ts'
import { Icon } from '../parts/Icon.tsx'
import { Monogram } from '../parts/Monogram.tsx'
import type { View } from '../view.ts'
import { GetUsdc, walletFinder } from './GetUsdc.tsx'

type Props = { view: View; intent: Intent; units: bigint; isOnlyMethod: boolean }

export function NoWallet({ view, intent, units, isOnlyMethod }: Props) {
  const { t, state } = view
  const { onPhone } = state
  // Their messages may be missing.
  const open = (wallet: string) => t('no_wallet.open_in', { wallet }) || wallet
  // Without a handoff, this page itself: its shop can open the checkout there again.
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
          {walletDeepLinks.map(([wallet, link, color]) => (
            // Another element until there is a link: Superfine would leave an empty link.
            <li key={page ? wallet : `${wallet} …`}>
              {page ? (
                <a part="wallet" rel="noopener noreferrer" href={link(page)}>
                  <Monogram name={wallet} color={color} />
                  <span class="name">{open(wallet)}</span>
                  <Icon name="external" />
                </a>
              ) : (
                <button type="button" part="wallet" aria-disabled="true">
                  <Monogram name={wallet} color={color} />
                  <span class="name">{open(wallet)}</span>
                  <Icon name="external" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {!isOnlyMethod && (
        <button
          type="button"
          class={onPhone ? 'quiet' : 'primary'}
          part="button"
          onclick={() => view.actions.choosePaymentMethod('qr')}
        >
          {t('pay_by_qr') || t('qr')}
        </button>
      )}
      <ExternalLink
        href={walletFinder}
        text={t('no_wallet.find') || t('wallets')}
        button={isOnlyMethod && !onPhone ? 'primary' : 'quiet'}
      />
      <GetUsdc view={view} intent={intent} units={units} />
    </div>
  )
}

import type { Chain } from '@payment-intents/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { changeAccount, readAccount, type Wallets as WalletsOfMerchant } from '../../api/account.ts'
import { read } from '../../api/api.ts'
import { currentMode } from '../../api/mode.ts'
import { AddressField } from '../../parts/AddressField.tsx'
import { Form, textOf } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { RemoveButton } from '../../parts/RemoveButton.tsx'
import { Section } from '../../parts/Section.tsx'
import { Copied } from '../../parts/values/Copied.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import { ProveWallet } from './ProveWallet.tsx'
import { settingsTabs } from './tabs.tsx'

const words = texts.settings.wallets
const queryKey = ['wallets']

/** The page of wallets: to receive, allowed, and for refunds. */
export function Wallets() {
  const wallets = useQuery({ queryKey, queryFn: () => readAccount('/account/wallets') })
  return (
    <Page title={texts.settings.title}>
      {settingsTabs}
      <Loaded query={wallets}>
        {(loaded) => (
          <>
            <Receiving wallets={loaded} />
            <Listed
              title={words.recipients}
              text={words.recipientsText}
              path="/account/allowed_recipients"
              addresses={loaded.allowed_recipients}
            />
            <Listed
              title={words.refunding}
              text={words.refundingText}
              path="/account/refund_wallets"
              addresses={loaded.refund_wallets}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Receiving({ wallets }: { wallets: WalletsOfMerchant }) {
  const client = useQueryClient()
  const isOwner = useRole('owner')
  const settings = useQuery({ queryKey: ['settings'], queryFn: () => read('/v1/settings') })
  // A payment on a network that the server does not follow would go unseen.
  const followed = Object.keys(settings.data?.chains ?? {}) as Chain[]
  const reload = () => client.invalidateQueries({ queryKey })
  const isProven = (address: string) =>
    wallets.proven.some((each) => each.address.toLowerCase() === address.toLowerCase())
  return (
    <Section title={words.title}>
      <p className="muted">{words.text}</p>
      <ul className="stack">
        {wallets.wallets.map(({ chain, address }) => (
          <li key={chain} className="row page-head">
            <span>
              <strong>{texts.chains[chain]}</strong>{' '}
              {isProven(address) && <span className="badge good">{words.proven}</span>}
              <br />
              <Copied text={address} name={words.address} />
            </span>
            {isOwner && !isProven(address) && (
              <ProveWallet address={address} chain={chain} onProved={reload} />
            )}
            {isOwner && isProven(address) && (
              <RemoveButton
                title={words.withdraw}
                text={words.withdrawText(address)}
                action={words.withdraw}
                onRemove={async () => {
                  await changeAccount('DELETE', `/account/wallet_proofs/${address}`)
                  await reload()
                }}
              />
            )}
          </li>
        ))}
      </ul>
      {isOwner && (
        <Form
          action={words.set}
          isEmptied
          onSubmit={(fields) =>
            changeAccount('POST', '/account/wallets', {
              mode: currentMode(),
              chain: textOf(fields, 'chain'),
              address: textOf(fields, 'address'),
            })
          }
          onDone={() => void reload()}
        >
          <label>
            {words.network}
            <select name="chain">
              {followed.map((chain) => (
                <option key={chain} value={chain}>
                  {texts.chains[chain]}
                </option>
              ))}
            </select>
          </label>
          <AddressField name={words.address} />
        </Form>
      )}
    </Section>
  )
}

function Listed(props: {
  title: string
  text: string
  path: '/account/allowed_recipients' | '/account/refund_wallets'
  addresses: readonly string[]
}) {
  const { title, text, path, addresses } = props
  const client = useQueryClient()
  const isOwner = useRole('owner')
  const reload = () => client.invalidateQueries({ queryKey })
  return (
    <Section title={title}>
      <p className="muted">{text}</p>
      <ul className="stack">
        {addresses.map((address) => (
          <li key={address} className="row page-head">
            <Copied text={address} name={words.address} />
            {isOwner && (
              <RemoveButton
                title={words.remove}
                text={address}
                onRemove={async () => {
                  await changeAccount('DELETE', `${path}/${address}`)
                  await reload()
                }}
              />
            )}
          </li>
        ))}
      </ul>
      {isOwner && (
        <Form
          action={words.add}
          isEmptied
          onSubmit={(fields) => changeAccount('POST', path, { address: textOf(fields, 'address') })}
          onDone={() => void reload()}
        >
          <AddressField name={words.address} />
        </Form>
      )}
    </Section>
  )
}

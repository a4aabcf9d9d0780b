import type { Settings, UpdateSettings } from '@payment-intents/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { read, update } from '../../api/api.ts'
import { Form, textOf, textOrNull } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { texts } from '../../texts.ts'
import { ReturnOrigins } from './ReturnOrigins.tsx'
import { readPicture } from './readPicture.ts'
import { settingsTabs } from './tabs.tsx'

const words = texts.settings.checkout
const queryKey = ['settings']

/** The settings of the checkout and of the networks. */
export function Checkout() {
  const settings = useQuery({ queryKey, queryFn: () => read('/v1/settings') })
  return (
    <Page title={texts.settings.title}>
      {settingsTabs}
      <Loaded query={settings}>
        {(found) => (
          <>
            <Brand settings={found} />
            <Networks settings={found} />
          </>
        )}
      </Loaded>
      <ReturnOrigins />
    </Page>
  )
}

function useSave() {
  const client = useQueryClient()
  return async (changes: UpdateSettings) => {
    client.setQueryData(queryKey, await update('/v1/settings', changes))
  }
}

function Brand({ settings }: { settings: Settings }) {
  const save = useSave()
  const { name, support, guide, brand } = settings
  return (
    <Section title={words.title}>
      <Form
        action={texts.save}
        onSubmit={async (fields) => {
          const file = fields.get('logo')
          const logo = file instanceof File && file.size > 0 ? await readPicture(file) : undefined
          const accent = fields.get('hasAccent') ? textOf(fields, 'accent') : null
          await save({
            name: textOf(fields, 'name'),
            support: textOrNull(fields, 'support'),
            guide: textOrNull(fields, 'guide'),
            brand: { accent, ...(logo === undefined ? {} : { logo }) },
          })
        }}
      >
        <label>
          {words.name}
          <input name="name" defaultValue={name} required maxLength={200} />
        </label>
        <label>
          {words.support}
          <input name="support" defaultValue={support ?? ''} maxLength={200} />
          <small>{words.supportHint}</small>
        </label>
        <label>
          {words.guide}
          <input name="guide" defaultValue={guide ?? ''} maxLength={200} />
          <small>{words.guideHint}</small>
        </label>
        <div className="row">
          <label className="check">
            <input type="checkbox" name="hasAccent" defaultChecked={brand.accent !== null} />
            {words.accent}
          </label>
          <input
            type="color"
            name="accent"
            className="color"
            aria-label={words.accent}
            defaultValue={brand.accent ?? '#10131a'}
          />
        </div>
        <label>
          {words.logo}
          <input type="file" name="logo" accept="image/png,image/jpeg,image/webp" />
          <small>{brand.logo ? words.logoSet : words.logoHint}</small>
        </label>
      </Form>
    </Section>
  )
}

function Networks({ settings }: { settings: Settings }) {
  const save = useSave()
  const chains = Object.entries(settings.chains).flatMap(([chain, terms]) =>
    terms ? [{ chain: chain as 'base' | 'polygon', terms }] : [],
  )
  return (
    <Section title={words.networks}>
      <Form
        action={texts.save}
        onSubmit={(fields) => {
          const terms = chains.map(({ chain }) => {
            const confirmations = textOf(fields, `${chain}.confirmations`)
            return [
              chain,
              {
                match_plain_price: fields.get(`${chain}.plain`) !== null,
                confirmations_required: confirmations === '' ? null : Number(confirmations),
              },
            ]
          })
          const chosen = chains.find(({ chain }) => chain === textOf(fields, 'default'))
          return save({
            default_chain: chosen?.chain ?? null,
            chains: Object.fromEntries(terms),
          })
        }}
      >
        <label>
          {words.defaultChain}
          <select name="default" defaultValue={settings.default_chain ?? ''}>
            <option value="">{words.noDefault}</option>
            {chains.map(({ chain }) => (
              <option key={chain} value={chain}>
                {texts.chains[chain]}
              </option>
            ))}
          </select>
        </label>
        {chains.map(({ chain, terms }) => (
          <fieldset key={chain} className="stack">
            <legend>{texts.chains[chain]}</legend>
            <label>
              {words.confirmations}
              <input
                type="number"
                name={`${chain}.confirmations`}
                min={1}
                placeholder={String(terms.server_confirmations_required)}
                defaultValue={terms.confirmations_required ?? ''}
              />
              <small>{words.confirmationsHint(terms.server_confirmations_required)}</small>
            </label>
            <label className="check">
              <input
                type="checkbox"
                name={`${chain}.plain`}
                defaultChecked={terms.match_plain_price}
              />
              {words.plainPrice}
            </label>
          </fieldset>
        ))}
      </Form>
    </Section>
  )
}

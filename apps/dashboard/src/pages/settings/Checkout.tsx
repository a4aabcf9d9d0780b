import type { Settings, UpdateSettings } from '@payment-intents/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { read, update } from '../../api/api.ts'
import { Form, textOf, textOrNull } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import type { Look } from '../../preview/look.ts'
import { texts } from '../../texts.ts'
import { Preview } from './Preview.tsx'
import { pictureDataUrl } from './pictureDataUrl.ts'
import { ReturnOrigins } from './ReturnOrigins.tsx'
import { settingsTabs } from './tabs.tsx'

const words = texts.settings.checkout
const queryKey = ['settings']

/** The page of the settings of the checkout and of the networks. */
export function Checkout() {
  const settings = useQuery({ queryKey, queryFn: () => read('/v1/settings') })
  return (
    <Page title={texts.settings.title}>
      {settingsTabs}
      <Loaded query={settings}>
        {(loaded) => (
          <>
            <Brand settings={loaded} />
            <Networks settings={loaded} />
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
  // The dashboard's policy allows only its own origin, which serves logos, too.
  const logo = brand.logo && new URL(brand.logo).pathname
  const [look, setLook] = useState<Look>({ name, support, accent: brand.accent, logo })
  const turn = useRef(0)

  async function preview(fields: FormData) {
    turn.current += 1
    const { current } = turn
    const picture = await pictureOf(fields).catch(() => undefined)
    // A later change may have loaded first.
    if (current !== turn.current) return
    setLook({
      name: textOf(fields, 'name') || name,
      support: textOrNull(fields, 'support'),
      accent: accentOf(fields),
      logo: picture ?? logo,
    })
  }

  return (
    <Section title={words.title}>
      <div className="beside">
        <Form
          action={texts.save}
          onInput={preview}
          onSubmit={async (fields) => {
            const picture = await pictureOf(fields)
            await save({
              name: textOf(fields, 'name'),
              support: textOrNull(fields, 'support'),
              guide: textOrNull(fields, 'guide'),
              brand: {
                accent: accentOf(fields),
                ...(picture === undefined ? {} : { logo: picture }),
              },
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
        <Preview look={look} />
      </div>
    </Section>
  )
}

/** The chosen logo as a data URL. */
async function pictureOf(fields: FormData): Promise<string | undefined> {
  const file = fields.get('logo')
  return file instanceof File && file.size > 0 ? pictureDataUrl(file) : undefined
}

function accentOf(fields: FormData): string | null {
  return fields.get('hasAccent') ? textOf(fields, 'accent') : null
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

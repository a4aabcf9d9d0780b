import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { correction, generate } from 'lean-qr'
import { toSvg } from 'lean-qr/extras/svg'
import { useEffect, useRef } from 'react'
import { read, update } from '../../api/api.ts'
import { messageOf } from '../../parts/Failure.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { Amount } from '../../parts/values/Amount.tsx'
import { Copied } from '../../parts/values/Copied.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import './links.css'

const words = texts.links
const route = getRouteApi('/links/$id')

/** The page of a payment link: to copy, print or turn it off. */
export function PaymentLink() {
  const { id } = route.useParams()
  const link = useQuery({
    queryKey: ['links', 'one', id],
    queryFn: ({ signal }) => read('/v1/payment_links/{id}', { id }, signal),
  })
  const client = useQueryClient()
  const canManage = useRole('support')
  const toggle = useMutation({
    mutationFn: (active: boolean) => update('/v1/payment_links/{id}', { id, active }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['links'] }),
  })
  return (
    <Loaded query={link}>
      {(loaded) => (
        <Page
          title={loaded.description}
          actions={
            canManage && (
              <button
                type="button"
                disabled={toggle.isPending}
                onClick={() => toggle.mutate(!loaded.active)}
              >
                {loaded.active ? words.turnOff : words.turnOn}
              </button>
            )
          }
        >
          {toggle.error && (
            <p className="note bad" role="alert">
              {messageOf(toggle.error)}
            </p>
          )}
          {loaded.outranked_chains.length > 0 && (
            <p className="note bad">
              {words.outranked(
                loaded.outranked_chains.map((chain) => texts.chains[chain]).join(', '),
              )}{' '}
              <Link to="/settings/wallets">{words.toWallets}</Link>
            </p>
          )}
          <Section title={words.shareLink}>
            <p className="row">
              <span className={`badge ${loaded.active ? 'good' : ''}`}>
                {loaded.active ? words.on : words.off}
              </span>
              {loaded.amount_units === null ? (
                words.openAmount
              ) : (
                <Amount units={loaded.amount_units} token={loaded} />
              )}
              <span className="muted">{words.paid(loaded.payments_count)}</span>
            </p>
            <Copied text={loaded.url} name={words.url} />
            <QrCode text={loaded.url} />
            <div className="row">
              <button type="button" onClick={() => print()}>
                {words.print}
              </button>
              <Link to="/payments" search={{ payment_link: id }} className="button">
                {words.payments}
              </Link>
            </div>
          </Section>
        </Page>
      )}
    </Loaded>
  )
}

/** Dark on white with a margin, as cameras expect, also on a dark page. */
function QrCode({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const code = generate(text, { minCorrectionLevel: correction.M })
    place.current?.replaceChildren(toSvg(code, document, { on: '#000', off: '#fff' }))
  }, [text])
  return <div ref={place} className="qr" role="img" aria-label={words.qr} />
}

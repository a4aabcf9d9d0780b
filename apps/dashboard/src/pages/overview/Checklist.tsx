import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { readAccount } from '../../api/account.ts'
import { read } from '../../api/api.ts'
import { Section } from '../../parts/Section.tsx'
import { useRole, useSession } from '../../session/session.ts'
import { texts } from '../../texts.ts'

const words = texts.checklist

/** Lists the steps of a new merchant. Each step checks itself off; a finished list disappears. */
export function Checklist() {
  const isOwner = useRole('owner')
  return isOwner ? <OpenItems /> : null
}

function OpenItems() {
  const { passkeys } = useSession()
  const wallets = useQuery({
    queryKey: ['wallets'],
    queryFn: () => readAccount('/account/wallets'),
  })
  const keys = useQuery({ queryKey: ['apiKeys'], queryFn: () => readAccount('/account/api_keys') })
  const endpoints = useQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: () => read('/v1/webhook_endpoints'),
  })
  const paid = useQuery({
    queryKey: ['payments', 'paid'],
    queryFn: ({ signal }) => read('/v1/payment_intents', { status: 'succeeded', limit: 1 }, signal),
  })
  if (!wallets.data || !keys.data || !endpoints.data || !paid.data) return null
  const items: { name: keyof typeof words.items; isDone: boolean; to: LinkProps['to'] }[] = [
    { name: 'passkey', isDone: passkeys > 0, to: '/settings/security' },
    { name: 'wallet', isDone: wallets.data.wallets.length > 0, to: '/settings/wallets' },
    {
      name: 'key',
      isDone: keys.data.data.some(({ revoked_at }) => revoked_at === null),
      to: '/developers/keys',
    },
    { name: 'webhook', isDone: endpoints.data.data.length > 0, to: '/developers/webhooks' },
    { name: 'payment', isDone: paid.data.data.length > 0, to: '/links' },
  ]
  if (items.every(({ isDone }) => isDone)) return null
  return (
    <Section title={words.title}>
      <ol className="checklist">
        {items.map(({ name, isDone, to = '/' }) => (
          <li key={name}>
            <span aria-hidden="true">{isDone ? '✓' : '○'}</span>{' '}
            {isDone ? words.items[name] : <Link to={to}>{words.items[name]}</Link>}
            <span className="unseen">{isDone ? words.done : words.open}</span>
          </li>
        ))}
      </ol>
    </Section>
  )
}

import { createRoot } from 'react-dom/client'
import type { ListedDelivery } from '../db/receivedDeliveries.ts'
import { Layout } from './Layout.tsx'
import { Moment } from './Moment.tsx'
import { usePolled } from './usePolled.ts'

const orderId = /^\/orders\/(\w+)\//.exec(location.pathname)?.[1] ?? null

const messages: Record<ListedDelivery['outcome'], string> = {
  fulfilled: 'Order handed to the packing table',
  recorded: 'Order brought up to date',
  old_news: 'Nothing: something newer is known',
  unknown_order: 'Nothing: no order is known for it',
  sold_by_link: 'A candle sold by the poster',
  nothing_to_do: 'Nothing: not about an order',
  repeat: 'Nothing: done before',
  refused: 'Nothing: it may be from anybody',
}

function DeliveriesPage() {
  const of = orderId === null ? '' : `/orders/${orderId}`
  const response = usePolled<{ data: ListedDelivery[] }>(`/api${of}/deliveries`, () => false)
  const deliveries = typeof response === 'string' ? [] : response.data
  return (
    <Layout current="deliveries">
      <main className="wrap deliveries">
        {orderId && (
          <p className="eyebrow">
            Order <a href={`/orders/${orderId}`}>{orderId}</a>
          </p>
        )}
        <h1 id="title">Events received</h1>
        <p className="lead">
          Each delivery of an event by the payment service, newest first. An event may be delivered
          more than once; it is acted on once.
        </p>
        {deliveries.length === 0 ? (
          <p>Nothing yet. Place an order, and this page fills by itself.</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll wide tables
          <section className="scroller" aria-labelledby="title" tabIndex={0}>
            <table aria-labelledby="title">
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">Event</th>
                  <th scope="col">Signature</th>
                  <th scope="col">Delivery</th>
                  <th scope="col">What it did</th>
                </tr>
              </thead>
              <tbody>
                {deliveries.map((delivery, index) => (
                  <Row key={deliveries.length - index} delivery={delivery} />
                ))}
              </tbody>
            </table>
          </section>
        )}
      </main>
    </Layout>
  )
}

function Row({ delivery }: { delivery: ListedDelivery }) {
  const { received_at, type, outcome } = delivery
  return (
    <tr data-outcome={outcome}>
      <td>
        <Moment at={received_at} />
      </td>
      <th scope="row">{type ?? 'unknown'}</th>
      <td>{signature(delivery)}</td>
      <td>{outcome === 'refused' ? 'not counted' : outcome === 'repeat' ? 'repeat' : 'first'}</td>
      <td>{messages[outcome]}</td>
    </tr>
  )
}

function signature({ via, outcome, reason }: ListedDelivery): string {
  if (outcome === 'refused') return `refused: ${reason?.replaceAll('_', ' ')}`
  return via === 'catch_up' ? 'none needed: fetched' : 'verified'
}

const root = document.getElementById('root')
if (root) createRoot(root).render(<DeliveriesPage />)

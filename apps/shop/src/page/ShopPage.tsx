import { type ServiceModalStatus, useServiceModal } from '@payment-intents/react'
import { useEffect, useState } from 'react'
import { formatUsdc } from '../formatUsdc.ts'
import type { Chain } from '../networks.ts'
import { type Product, products } from '../products.ts'
import { Layout } from './Layout.tsx'
import { Networks } from './Networks.tsx'
import { placeOrder } from './placeOrder.ts'
import { shopLogo } from './shopLogo.ts'
import { type PlacedOrder, watchOrder } from './storedOrder.ts'
import { useChoices } from './useChoices.ts'

const sentences: Record<ServiceModalStatus, string> = {
  idle: 'Your order waits for its payment.',
  open: 'Your order waits for its payment.',
  pending: 'Payment seen. It is being confirmed.',
  succeeded: 'Paid. Thank you!',
  failed: 'This payment cannot go on. The order page says more.',
}

/** An order that is found again after a reload, as a status of the checkout. */
const shown = {
  requires_payment: 'idle',
  pending_confirmations: 'pending',
  succeeded: 'succeeded',
} as const

type Buy = (product: Product, lane: 'sdk' | 'manual', chain: Chain | undefined) => void

export function ShopPage({ baseUrl, chains }: { baseUrl: string; chains: readonly Chain[] }) {
  const [order, setOrder] = useState<PlacedOrder>()
  const [ordering, setOrdering] = useState<'idle' | 'busy' | 'failed'>('idle')
  const [callbacks, setCallbacks] = useState<readonly string[]>([])

  function record(callback: string, argument?: object): void {
    setCallbacks((all) => [...all, `${callback}(${argument ? JSON.stringify(argument) : ''})`])
  }

  const checkout = useServiceModal({
    ...useChoices(),
    baseUrl,
    clientSecret: order?.clientSecret,
    merchantName: 'Hollow Hill',
    appearance: { logo: shopLogo },
    onPending: (payment) => record('onPending', payment),
    onSuccess: (payment) => record('onSuccess', payment),
    onError: (error) => record('onError', error),
    onClose: () => record('onClose'),
  })

  useEffect(() => watchOrder(setOrder), [])
  const status = checkout.status === 'idle' && order?.status ? shown[order.status] : checkout.status

  const buy: Buy = async (product, lane, chain) => {
    if (ordering === 'busy') return
    setOrdering('busy')
    try {
      const placed = await placeOrder(product, lane, chain)
      setOrder(placed)
      setOrdering('idle')
      checkout.open(placed)
    } catch {
      setOrdering('failed')
    }
  }

  return (
    <Layout current="shop">
      <main className="wrap">
        <section className="hero">
          <h1>Things for slow mornings</h1>
          <p>
            Six objects we use every day and would miss. Pay with USDC from any wallet; it goes
            straight to the people who made them.
          </p>
        </section>
        <Ways />
        <ul className="grid">
          {products.map((product) => (
            <li key={product.id}>
              <Good product={product} chains={chains} onBuy={buy} />
            </li>
          ))}
        </ul>
        {ordering === 'failed' && (
          <div className="banner wrong" role="alert">
            <p>We could not start the payment. Nothing was charged; please try again.</p>
          </div>
        )}
        {order && ordering !== 'failed' && (
          <div className="banner" role="status">
            <p>{sentences[status]}</p>
            {status === 'idle' && (
              <>
                <button type="button" className="button quiet" onClick={checkout.open}>
                  Continue paying
                </button>
                <a
                  className="button quiet"
                  href={hostedLink(baseUrl, order)}
                  target="_blank"
                  rel="noreferrer"
                >
                  Hosted page
                </a>
              </>
            )}
            <a className="button" href={`/orders/${order.id}`}>
              View order
            </a>
          </div>
        )}
        <details className="callbacks">
          <summary>Callbacks from the checkout</summary>
          <ol>
            {callbacks.map((line, index) => (
              <li key={index} data-callback={line.slice(0, line.indexOf('('))}>
                {line}
              </li>
            ))}
          </ol>
        </details>
      </main>
    </Layout>
  )
}

function Ways() {
  return (
    <ul className="ways" aria-label="Five ways to take a payment">
      <li>
        <strong>React hook</strong> everything on this page
      </li>
      <li>
        <a href="/spoon.html">Import</a> the spoon
      </li>
      <li>
        <a href="/plain.html">Script tag</a> the teapot
      </li>
      <li>
        <strong>Hosted page</strong> a link, with every order
      </li>
      <li>
        <a href="/poster.html">Payment link</a> a poster, without an order
      </li>
    </ul>
  )
}

function Good(props: { product: Product; chains: readonly Chain[]; onBuy: Buy }) {
  const { product, chains, onBuy } = props
  const [chain, setChain] = useState(chains[0])
  return (
    <article className="good" aria-labelledby={product.id}>
      <div className="picture" style={{ '--tint': product.tint }}>
        <img src={`/goods/${product.id}.svg`} alt="" />
      </div>
      <div className="line">
        <h2 id={product.id}>{product.name}</h2>
        <span className="price">{formatUsdc(product.amountUnits)}</span>
      </div>
      <p className="blurb">{product.blurb}</p>
      <Networks among={chains} chosen={chain} onChoose={setChain} />
      <div className="buy">
        <button type="button" className="button wide" onClick={() => onBuy(product, 'sdk', chain)}>
          Pay with USDC
        </button>
        <button
          type="button"
          className="button quiet"
          onClick={() => onBuy(product, 'manual', chain)}
        >
          Pay by QR
        </button>
      </div>
    </article>
  )
}

/** The payment on a page of the service, which returns to the order. */
function hostedLink(baseUrl: string, { id, clientSecret }: PlacedOrder): string {
  const query = new URLSearchParams({ return_url: `${location.origin}/orders/${id}` })
  return `${baseUrl}/checkout/?${query}#${clientSecret}`
}

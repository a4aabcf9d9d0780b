import { createRoot } from 'react-dom/client'
import { formatUsdc } from '../formatUsdc.ts'
import type { DescribedOrder } from '../http/describeOrder.ts'
import { products } from '../products.ts'
import { Layout } from './Layout.tsx'
import { Moment } from './Moment.tsx'
import { OrderRefunds } from './OrderRefunds.tsx'
import { usePolled } from './usePolled.ts'

const messages: Record<string, { step: string; title: string; lead: string }> = {
  requires_payment: {
    step: 'Order placed',
    title: 'Waiting for your payment',
    lead: 'Finish in the checkout, or send the exact amount by hand. This page follows by itself.',
  },
  pending_confirmations: {
    step: 'Payment seen',
    title: 'Payment seen, almost there',
    lead: 'The network is confirming your payment. It takes a few seconds.',
  },
  succeeded: {
    step: 'Payment confirmed',
    title: 'Thank you, it is paid',
    lead: 'We are wrapping it now. You will not be charged again, whatever you click.',
  },
  expired: {
    step: 'Order expired',
    title: 'This order has expired',
    lead: 'No payment arrived whole and in time. If you have sent one, do not send another: write to us.',
  },
  canceled: {
    step: 'Order cancelled',
    title: 'This order was cancelled',
    lead: 'If you have sent a payment all the same, write to us.',
  },
}

function OrderPage(props: { id: string }) {
  const order = usePolled<DescribedOrder>(`/api/orders/${props.id}`, isFinal)
  return (
    <Layout current="order">
      {typeof order === 'string' ? <Unknown state={order} /> : <OrderDetails order={order} />}
    </Layout>
  )
}

/** Any order may still receive money, and be refunded. */
function isFinal(order: DescribedOrder | 'missing'): boolean {
  return order === 'missing'
}

function OrderDetails({ order }: { order: DescribedOrder }) {
  const product = products.find((candidate) => candidate.id === order.product_id)
  const now = messages[order.status] ?? { title: order.status, lead: '' }
  const open = order.status === 'requires_payment' || order.status === 'pending_confirmations'
  return (
    <main className="wrap order" data-order-status={order.status}>
      <div>
        <p className="eyebrow">
          Order {order.id}
          {order.mode === 'testnet' && <span className="tag">Test money</span>}
        </p>
        <div role="status">
          <h1>{now.title}</h1>
          <p className="lead">{now.lead}</p>
        </div>
        <ol className="steps">
          {order.transitions.map((transition, index) => (
            <li
              key={transition.seen_at + transition.status}
              data-status={transition.status}
              className={open && index === order.transitions.length - 1 ? 'now' : undefined}
            >
              {messages[transition.status]?.step ?? transition.status}
              <Moment at={transition.seen_at} />
            </li>
          ))}
          {order.fulfilled_at && (
            <li data-status="fulfilled">
              Handed to the packing table
              <Moment at={order.fulfilled_at} />
            </li>
          )}
        </ol>
        <p className="lead">
          <a href={`/orders/${order.id}/deliveries`}>Deliveries of this order</a>
        </p>
        <OrderRefunds order={order} />
      </div>
      <aside className="slip" aria-label="Order details">
        {product && (
          <div className="picture" style={{ '--tint': product.tint }}>
            <img src={`/goods/${product.id}.svg`} alt="" />
          </div>
        )}
        <h2>{product?.name ?? order.product_id}</h2>
        <p>{formatUsdc(order.amount_units)}</p>
        <dl>
          <Fact name="Payment">{order.payment_intent_id}</Fact>
          <Fact name="Network">
            {order.chain}, {order.mode}
          </Fact>
          {order.tx_hash && <Fact name="Transaction">{order.tx_hash}</Fact>}
        </dl>
      </aside>
    </main>
  )
}

function Unknown(props: { state: 'unread' | 'missing' }) {
  return (
    <main className="wrap order">
      <div role="status">
        <h1>{props.state === 'unread' ? 'Looking for your order…' : 'There is no such order'}</h1>
        {props.state === 'missing' && (
          <p className="lead">
            Check the address, or <a href="/">go back to the goods</a>.
          </p>
        )}
      </div>
    </main>
  )
}

function Fact(props: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}

const root = document.getElementById('root')
const id = location.pathname.split('/').at(-1) ?? ''
if (root) createRoot(root).render(<OrderPage id={id} />)

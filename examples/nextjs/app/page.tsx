import { prices } from '../lib/prices'
import { placeOrder } from './actions'

export default function GoodsPage() {
  return [...prices].map(([item, price]) => (
    <form key={item} action={placeOrder.bind(null, item)}>
      <button type="submit">
        Order a {item}, {price} USDC
      </button>
    </form>
  ))
}

import { createRoot } from 'react-dom/client'
import { GoodsPage } from './GoodsPage.tsx'
import { OrderPage } from './OrderPage.tsx'

const orderId = /^\/orders\/(\w+)$/.exec(location.pathname)?.[1]
const main = document.querySelector('main') as HTMLElement
createRoot(main).render(orderId ? <OrderPage id={orderId} /> : <GoodsPage />)

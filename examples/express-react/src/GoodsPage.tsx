import { useEffect, useState } from 'react'
import { callApi } from './callApi.ts'

type Good = { item: string; price: string }

export function GoodsPage() {
  const [goods, setGoods] = useState<Good[]>([])
  useEffect(() => {
    callApi<Good[]>('/api/goods').then(setGoods)
  }, [])

  async function order(item: string) {
    const { id } = await callApi<{ id: string }>('/api/orders', { item })
    location.assign(`/orders/${id}`)
  }

  return goods.map(({ item, price }) => (
    <p key={item}>
      <button type="button" onClick={() => order(item)}>
        Order a {item}, {price} USDC
      </button>
    </p>
  ))
}

import { toUnits } from '@payment-intents/node'
import { error, redirect } from '@sveltejs/kit'
import { createOrder } from '#lib/server/orders.ts'
import { prices } from '#lib/server/prices.ts'
import type { Actions, PageServerLoad } from './$types'

export const load: PageServerLoad = () => ({
  goods: [...prices].map(([item, price]) => ({ item, price })),
})

export const actions: Actions = {
  default: async ({ request }) => {
    const item = String((await request.formData()).get('item'))
    const price = prices.get(item)
    if (price === undefined) error(400, 'There is no such item.')
    redirect(303, `/orders/${createOrder(item, toUnits(price)).id}`)
  },
}

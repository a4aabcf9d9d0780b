import { beforeEach, expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { setResponse } from '../support/origins.ts'
import {
  callbackCalls,
  close,
  open,
  openShop,
  page,
  type ShopWindow,
  screenOf,
} from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const payment = { payment_intent_id: 'pi_test_0001', tx_hash: txHash }
const pending = intent({ status: 'pending_confirmations', tx_hash: txHash, version: 2 })
const paid = intent({ status: 'succeeded', tx_hash: txHash, confirmations: 5, version: 9 })

const callbacks = ['onPending', 'onSuccess', 'onError', 'onClose'] as const
type Callback = (typeof callbacks)[number]

/** The service's response that leads to a callback; `onClose` needs no particular response. */
const causes: Record<Callback, ReturnType<typeof intent> | number> = {
  onPending: pending,
  onSuccess: paid,
  onError: 404,
  onClose: intent(),
}

type Behavior = 'throws' | 'rejects' | 'closes' | 'opens another'

beforeEach(() => openShop({ by: 'script' }))

/** Opens `pi_a_secret_a` with a callback that does `behavior`, and records the errors that the page reports. */
function openWith(callback: Callback, behavior: Behavior) {
  return page.evaluate(
    ({ callback, behavior }) => {
      const { openServiceModal, shop } = window as unknown as ShopWindow
      const reports: unknown[] = []
      Object.assign(window, { reports })
      window.addEventListener('error', ({ error }) => reports.push(`error: ${error?.message}`))
      window.addEventListener('unhandledrejection', ({ reason }) =>
        reports.push(`rejection: ${reason?.message}`),
      )
      const checkout = openServiceModal({
        clientSecret: 'pi_a_secret_a',
        [callback]: (value?: unknown) => {
          shop.callbackCalls.push([callback, 'pi_a_secret_a', value])
          if (behavior === 'throws') throw new Error('thrown')
          if (behavior === 'rejects') return Promise.reject(new Error('rejected'))
          if (behavior === 'closes') checkout.close()
          if (behavior === 'opens another') openServiceModal({ clientSecret: 'pi_b_secret_b' })
        },
      })
    },
    { callback, behavior },
  )
}

const reports = () => page.evaluate(() => (window as unknown as { reports: unknown[] }).reports)
const names = async () =>
  (await callbackCalls()).map(([name, secret]) => `${name} ${secret.at(-1)}`)

/** Every callback, or in the quick tier two of them, so that each callback still has at least two behaviors. */
const some = (first: number) =>
  isFull ? callbacks : callbacks.filter((_, at) => at === first % 4 || at === (first + 1) % 4)

test.each(callbacks)('%s that throws is reported once, and the checkout goes on', async (name) => {
  setResponse(() => causes[name])
  await openWith(name, 'throws')
  if (name === 'onClose') await close('pi_a_secret_a')
  await expect.poll(reports).toEqual(['error: thrown'])
  if (name === 'onPending') {
    setResponse(() => paid)
    await screenOf('paid').waitFor()
  }
  await close('pi_a_secret_a')
  expect(await reports()).toEqual(['error: thrown'])
  expect(await names()).toEqual([
    `${name} a`,
    ...(name === 'onPending' ? ['success a'] : []),
    ...(name === 'onClose' ? [] : ['close a']),
  ])
})

test.each(some(1))('%s that is async and rejects is reported once', async (name) => {
  setResponse(() => causes[name])
  await openWith(name, 'rejects')
  if (name === 'onClose') await close('pi_a_secret_a')
  await expect.poll(reports).toEqual(['rejection: rejected'])
  await close('pi_a_secret_a')
  expect(await names()).toEqual([`${name} a`, ...(name === 'onClose' ? [] : ['close a'])])
})

test.each(some(2))('%s may close the checkout', async (name) => {
  setResponse(() => causes[name])
  await openWith(name, 'closes')
  if (name === 'onClose') await close('pi_a_secret_a')
  await expect.poll(names).toEqual([`${name} a`, ...(name === 'onClose' ? [] : ['close a'])])
  await close('pi_a_secret_a')
  expect(await page.locator('dialog').count()).toBe(0)
  expect(await reports()).toEqual([])
})

test.each(some(3))('%s may open another checkout, which stays open', async (name) => {
  setResponse((secret) => (secret === 'pi_a_secret_a' ? causes[name] : intent()))
  await openWith(name, 'opens another')
  if (name === 'onClose') await close('pi_a_secret_a')
  await screenOf('pay').and(page.locator('[data-screen]')).waitFor()
  expect(await names()).toEqual([`${name} a`, ...(name === 'onClose' ? [] : ['close a'])])
  expect(await page.locator('dialog').count()).toBe(1)
  expect(await reports()).toEqual([])
  await close('pi_b_secret_b')
  expect((await names()).at(-1)).toBe('close b')
})

test('the onClose of a replaced checkout may open a third checkout, which stays open', async () => {
  setResponse(() => intent())
  await page.evaluate(() => {
    const { openServiceModal, shop } = window as unknown as ShopWindow
    openServiceModal({
      clientSecret: 'pi_a_secret_a',
      onClose() {
        shop.callbackCalls.push(['close', 'pi_a_secret_a'])
        openServiceModal({ clientSecret: 'pi_c_secret_c' })
      },
    })
    openServiceModal({ clientSecret: 'pi_b_secret_b' })
  })
  await screenOf('pay').waitFor()
  expect(await names()).toEqual(['close a', 'close b'])
  expect(await page.locator('dialog').count()).toBe(1)
  await close('pi_c_secret_c')
  expect(await page.locator('dialog').count()).toBe(0)
})

test('each callback is called once, even if the service repeats its response', async () => {
  setResponse(() => intent())
  await open('pi_a_secret_a')
  await screenOf('pay').waitFor()
  for (const [version, status] of (
    ['pending_confirmations', 'requires_payment', 'pending_confirmations', 'succeeded'] as const
  ).entries()) {
    const tx_hash = status === 'requires_payment' ? null : txHash
    setResponse(() => intent({ status, tx_hash, version: version + 2 }))
    const name = { requires_payment: 'pay', succeeded: 'paid' }[status as string] ?? 'confirming'
    await screenOf(name).waitFor()
  }
  await close('pi_a_secret_a')
  expect(await callbackCalls()).toEqual([
    ['pending', 'pi_a_secret_a', payment],
    ['success', 'pi_a_secret_a', payment],
    ['close', 'pi_a_secret_a'],
  ])
})

test('a payment that is first seen as final calls onSuccess without onPending', async () => {
  setResponse(() => paid)
  await open('pi_a_secret_a')
  await screenOf('paid').waitFor()
  await close('pi_a_secret_a')
  expect(await callbackCalls()).toEqual([
    ['success', 'pi_a_secret_a', payment],
    ['close', 'pi_a_secret_a'],
  ])
})

test.each([
  ['expired', 'intent_expired'],
  ['canceled', 'intent_canceled'],
] as const)('an intent that is %s reports an unrecoverable error', async (status, code) => {
  setResponse(() => intent({ status }))
  await open('pi_a_secret_a')
  await screenOf(status).waitFor()
  await close('pi_a_secret_a')
  const error = { code, message: expect.any(String), recoverable: false }
  expect(await callbackCalls()).toEqual([
    ['error', 'pi_a_secret_a', error],
    ['close', 'pi_a_secret_a'],
  ])
})

test('onError receives the first error, and the payment may still succeed', async () => {
  setResponse(() => intent())
  await page.evaluate(() => {
    const refusals = [4001, 4100]
    const request = async () => {
      throw { code: refusals.shift() }
    }
    ;(window as unknown as ShopWindow).openServiceModal({
      clientSecret: 'pi_a_secret_a',
      wallets: [{ name: 'Own', provider: { request } }],
    })
  })
  await page.getByRole('button', { name: 'Own' }).click()
  await page.getByText('You declined').first().waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No account shared').first().waitFor()
  setResponse(() => paid)
  await screenOf('paid').waitFor()
  await close('pi_a_secret_a')
  expect(await callbackCalls()).toMatchObject([
    ['error', 'pi_a_secret_a', { code: 'user_rejected', recoverable: true }],
    ['success', 'pi_a_secret_a', payment],
    ['close', 'pi_a_secret_a'],
  ])
})

test('onClose is called once the modal is removed, and before `closed` resolves', async () => {
  setResponse(() => intent())
  await open('pi_none_secret_0')
  await screenOf('pay').waitFor()
  await close('pi_none_secret_0')
  const order = await page.evaluate(async () => {
    const { openServiceModal } = window as unknown as ShopWindow
    const order: unknown[] = []
    const button = document.querySelector('button')
    const before = document.body.childElementCount
    button?.focus()
    const checkout = openServiceModal({
      clientSecret: 'pi_a_secret_a',
      onClose() {
        const remainingElements = document.body.childElementCount - before
        order.push('onClose', remainingElements, document.activeElement === button)
      },
    })
    checkout.closed.then(() => order.push('closed'))
    // The modal is loaded already and draws without a further request.
    while (document.body.childElementCount === before) {
      await new Promise((resolve) => setTimeout(resolve))
    }
    order.push(checkout.close(), checkout.close())
    await checkout.closed
    return order
  })
  expect(order).toEqual(['onClose', 0, true, undefined, undefined, 'closed'])
})

test('a checkout without callbacks works', async () => {
  setResponse(() => paid)
  await open('pi_a_secret_a')
  await page.evaluate(async () => {
    const { openServiceModal } = window as unknown as ShopWindow
    const none = undefined
    openServiceModal({
      clientSecret: 'pi_b_secret_b',
      onSuccess: none,
      onPending: none,
      onError: none,
      onClose: none,
    })
  })
  await screenOf('paid').waitFor()
  await close('pi_b_secret_b')
  expect(await page.locator('dialog').count()).toBe(0)
})

test.each(['clientSecret', 'merchantName', 'baseUrl'])(
  'a call without `%s` throws, keeps an open checkout open, and exposes no secret',
  async (name) => {
    setResponse(() => intent())
    await open('pi_a_secret_a')
    await screenOf('pay').waitFor()
    const message = await page.evaluate((name) => {
      const { openServiceModal } = window as unknown as ShopWindow
      try {
        openServiceModal({ clientSecret: 'pi_b_secret_hush', [name]: '' })
        return ''
      } catch (error) {
        return `${(error as Error).name}: ${(error as Error).message}`
      }
    }, name)
    expect(message).toMatch(new RegExp(`^TypeError: .*\`${name}\``))
    expect(message).not.toContain('hush')
    expect(await callbackCalls()).toEqual([])
    await screenOf('pay').waitFor()
  },
)

import {
  type Address,
  type Chain,
  chainFacts,
  type TestChainResponse,
  type TestPaymentResponse,
  testAdvanceTimeSchema,
  testMineSchema,
  testPaymentSchema,
  testReorgSchema,
  testUnderpaymentSchema,
} from '@payment-intents/contract'
import {
  HttpError,
  type Intent,
  invalidBody,
  notFoundError,
  parse,
  pathId,
  received,
  type Service,
} from '@payment-intents/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ChainHead, DevelopmentChain } from '../../chain/development/developmentChain.ts'
import { authenticate } from '../authentication/authenticate.ts'
import { checkPermission } from '../authentication/caller.ts'
import { readBody } from '../transport/body.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import type { ObjectRoute } from '../transport/serveEndpoint.ts'

/** Endpoints by which a merchant in test mode acts on a development chain. */
export function testHelperRoutes(
  app: FastifyInstance,
  context: HttpContext,
  service: Service,
): void {
  const { store } = service
  const chains = context.developmentChains
  if (!chains) return
  const merchants = new WeakMap<FastifyRequest, string>()
  const options = {
    onRequest: async (request: FastifyRequest) => {
      const caller = await authenticate(context.apiKeyCache, request, service)
      checkPermission(caller, { method: 'POST' })
      const { id, mode } = caller.merchant
      if (mode !== 'testnet') {
        throw new HttpError('not_found', 'Test helpers are for API keys of test mode.')
      }
      merchants.set(request, id)
    },
  }
  const ofIntent = '/v1/test_helpers/payment_intents/:id'
  const ofChain = '/v1/test_helpers/chain'

  app.post<ObjectRoute>(`${ofIntent}/pay`, options, async (request) => {
    const { rail: matchMethod, amount_units, from } = bodyOf(request, testPaymentSchema)
    const { intent, chain } = await find(request)
    return pay(chain, intent, {
      matchMethod,
      from,
      amount: amount_units ?? amountDue(intent, matchMethod),
    })
  })

  app.post<ObjectRoute>(`${ofIntent}/underpay`, options, async (request) => {
    const { missing_units, from } = bodyOf(request, testUnderpaymentSchema)
    const { intent, chain } = await find(request)
    const missing = BigInt(missing_units ?? (intent.amount + 1n) / 2n)
    if (missing >= intent.amount) {
      const message = `must be less than the intent's amount_units, ${intent.amount}`
      throw invalidBody([{ path: 'missing_units', message }])
    }
    return pay(chain, intent, { matchMethod: 'reference', from, amount: intent.amount - missing })
  })

  app.post<ObjectRoute>(`${ofIntent}/pay_late`, options, async (request) => {
    const { rail: matchMethod, amount_units, from } = bodyOf(request, testPaymentSchema)
    const { intent, chain } = await find(request)
    await chains.reachTime(chain, intent.expiresAt + 1)
    return pay(chain, intent, {
      matchMethod,
      from,
      amount: amount_units ?? amountDue(intent, matchMethod),
    })
  })

  app.post(`${ofChain}/mine`, options, async (request) => {
    const { blocks, chain } = bodyOf(request, testMineSchema)
    return present(await named(chain).mine(blocks))
  })

  app.post(`${ofChain}/advance_time`, options, async (request) => {
    return present(await chains.advanceTime(bodyOf(request, testAdvanceTimeSchema).seconds))
  })

  app.post(`${ofChain}/reorg`, options, async (request) => {
    const { depth, chain } = bodyOf(request, testReorgSchema)
    const reorged = await named(chain).reorg(depth)
    if (reorged.type === 'reorged') return present(reorged.head)
    const message = `the development chain cannot go back that far: ${reorged.message}`
    throw invalidBody([{ path: 'depth', message }])
  })

  function named(name: Chain | undefined): DevelopmentChain {
    const chain = chains?.named(name)
    if (!chain) throw invalidBody([{ path: 'chain', message: `is none of ${listChains()}` }])
    return chain
  }

  function listChains(): string {
    const names = chains?.names.map((name) => chainFacts('testnet', name).name) ?? []
    return `the development chains: ${names.join(', ')}`
  }

  async function find(
    request: FastifyRequest<ObjectRoute>,
  ): Promise<{ intent: Intent; chain: DevelopmentChain }> {
    const { method, url, params } = request
    const id = pathId({ method, url, id: params.id ?? '' }, 'payment intent')
    const actor = { merchantId: merchants.get(request) ?? '', mode: 'testnet' } as const
    const intent = await store.paymentIntents.find(actor, id)
    if (!intent) throw notFoundError('payment intent')
    const chain = chains?.find(intent.chainId)
    if (!chain) {
      const message = `is paid on ${intent.chain}, which is none of ${listChains()}`
      throw invalidBody([{ path: 'id', message }])
    }
    return { intent, chain }
  }
}

function bodyOf<Schema extends z.ZodType>({ body }: FastifyRequest, schema: Schema) {
  return parse(schema, readBody(body, true).value)
}

/** The amount that the checkout shows: the price, or by hand the payable amount, less the received amount. */
function amountDue(intent: Intent, matchMethod: 'reference' | 'manual' | undefined): bigint {
  const price = matchMethod === 'manual' ? intent.payable : intent.amount
  const remaining = price - received(intent)
  return remaining > 0n ? remaining : price
}

async function pay(
  chain: DevelopmentChain,
  intent: Intent,
  payment: {
    matchMethod: 'reference' | 'manual' | undefined
    from: string | undefined
    amount: bigint | number
  },
): Promise<TestPaymentResponse> {
  const paid = await chain.pay({
    from: (payment.from as Address | undefined) ?? null,
    to: intent.wallet,
    amount: BigInt(payment.amount),
    reference: payment.matchMethod === 'manual' ? null : intent.reference,
  })
  switch (paid.type) {
    case 'sent':
      return { tx_hash: paid.txHash }
    case 'unknown_account':
      throw invalidBody([{ path: 'from', message: 'is not an account of the development chain' }])
    case 'refused':
      throw invalidBody([{ path: '', message: `the token refuses the transfer: ${paid.message}` }])
  }
}

function present(head: ChainHead): TestChainResponse {
  return {
    block_number: head.number,
    block_hash: head.hash,
    block_time: new Date(head.timestamp * 1_000).toISOString(),
  }
}

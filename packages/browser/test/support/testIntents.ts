import type { Intent } from '../../src/service/parseIntent.ts'

export const txHash = `0x${'cd'.repeat(32)}`

/** An intent over 25 USDC on the development chain, as resolve returns it. */
export function intent(changes: Partial<Intent> = {}): Intent {
  return {
    id: 'pi_test_0001',
    status: 'requires_payment',
    mode: 'testnet',
    chain: 'base',
    chain_id: 84532,
    confirmations_required: 5,
    amount_units: 25_000_100,
    price_units: 25_000_000,
    decimals: 6,
    token_symbol: 'USDC',
    token_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    expected_wallet: '0x1111111111111111111111111111111111111111',
    expires_at: new Date(Date.now() + 30 * 60_000).toISOString(),
    lane: 'sdk',
    metadata: {},
    payment_reference: `0x${'ab'.repeat(32)}`,
    version: 1,
    server_time: new Date().toISOString(),
    merchant_name: 'Kiosk',
    support: 'help+usdc@kiosk.example',
    guide: null,
    amount_received_units: 0,
    confirmations: 0,
    tx_hash: null,
    exceptions: [],
    near_misses: [],
    gasless: null,
    authorization: null,
    receipt: null,
    manual_available: false,
    description: null,
    manual: { payable_amount_units: 25_000_100, payment_uri: 'ethereum:…' },
    network: {
      name: 'Base Sepolia',
      native_symbol: 'ETH',
      rpc_url: 'http://127.0.0.1:8545',
      explorer_url: 'https://sepolia.basescan.org',
    },
    ...changes,
  }
}

/** An intent that can also be paid without gas. */
export function gaslessIntent(changes: Partial<Intent> = {}): Intent {
  const base = intent(changes)
  return {
    ...base,
    gasless: {
      fee_units: 0,
      domain: {
        name: 'USDC',
        version: '2',
        chainId: base.chain_id,
        verifyingContract: base.token_address,
      },
      message: {
        to: base.expected_wallet,
        value: String(base.price_units),
        validAfter: '0',
        validBefore: String(Math.floor(Date.parse(base.expires_at) / 1000)),
        nonce: base.payment_reference,
      },
    },
    ...changes,
  }
}

export const payer = `0x${'22'.repeat(20)}` as const

/** A submitted authorization, as `resolve` shows it. */
export function authorization(
  changes: Partial<NonNullable<Intent['authorization']>> = {},
): NonNullable<Intent['authorization']> {
  return {
    from: payer,
    status: 'in_flight',
    reason: null,
    tx_hash: null,
    valid_before: intent().expires_at,
    ...changes,
  }
}

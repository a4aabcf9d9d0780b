/** Returns the same intent to every request, in a process of its own so that its work is not counted. */
import { createServer } from 'node:http'
import { serveParent } from '../child.ts'

const response = JSON.stringify({
  id: 'pi_01k9x7m4q2v8n3d6b5t1r0s9aw8h2c',
  status: 'requires_payment',
  client_secret: `pi_01k9x7m4q2v8n3d6b5t1r0s9aw8h2c_secret_${'s'.repeat(43)}`,
  mode: 'testnet',
  chain: 'base',
  chain_id: 84532,
  confirmations_required: 5,
  amount_units: 25_000_000,
  payable_amount_units: 25_000_000,
  decimals: 6,
  token_symbol: 'USDC',
  token_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  expected_wallet: '0x1111111111111111111111111111111111111111',
  expires_at: '2030-01-01T00:00:00.000Z',
  created_at: '2029-12-31T23:30:00.000Z',
  expires_in_minutes: 30,
  lane: 'sdk',
  metadata: { order_id: 'order_1042', customer_id: 'customer_7' },
  payment_reference: `0x${'5'.repeat(64)}`,
})
const headers = {
  'content-type': 'application/json',
  'content-length': response.length,
  'x-request-id': 'req_01k9x7m4q2v8n3d6b5t1r0s9aw8h2c',
}

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, headers).end(response))
})
serveParent(server)

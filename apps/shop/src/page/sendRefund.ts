const problems: Record<string, string> = {
  amount_exceeds_refundable: 'That is more than can be refunded now.',
  idempotency_key_reused: 'This order was refunded meanwhile. Check the list, then try again.',
  wallet_invalid: 'It cannot go to this address. Check every character, or ask the buyer again.',
  insufficient_token: 'The shop’s wallet holds too little USDC. It is signed once there is enough.',
  illegal_state: 'The buyer has named another address. Check it again.',
  invalid_body: 'This is refused: check the amount and the address.',
}

/** The merchant's text about an error that `send` returns. */
export function problemOf(error: string): string {
  return problems[error] ?? 'The payment service did not take it. Try again: nothing is paid twice.'
}

/** Sends a request to the shop's backend. Returns `ok`, or the error that it names. */
export async function send(path: string, body: object): Promise<string> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.ok ? 'ok' : String((await response.json()).error)
  } catch {
    return 'unreachable'
  }
}

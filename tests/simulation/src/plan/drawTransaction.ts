import type { AttackPlan, AuthorizationAction, PartPlan, Payment } from './history.ts'
import type { Random } from './random.ts'

type Drawn = Pick<Payment, 'envelope' | 'parts' | 'attack'>

/** Payers below this are customers; this one sends dust. */
const stranger = 3

/** A transaction that pays an intent of a history, and perhaps others of it. */
export function drawTransaction(dice: Random, intent: number, intents: number): Drawn {
  return dice.chance(0.65) ? drawSingle(dice, intent, intents) : drawBundle(dice, intent, intents)
}

/** A program pays the price by an authorization whose nonce it draws; who hands that in, and for what, is its other half. */
export function drawProgram(
  dice: Random,
  { intent, intents, step }: { intent: number; intents: number; step: number },
): { sent: Drawn; handedIn: Omit<AuthorizationAction, 'type' | 'transaction'> } {
  const part: PartPlan = {
    ...{ intent, payer: dice.int(0, 2), amount: 'price', reference: 'none', nonce: 'drawn' },
    ...{ called: false, moved: true, misdirected: false, toSelf: false, lookalike: false },
  }
  const handedIn = {
    step: step + (dice.chance(0.7) ? 0 : dice.int(1, 4)),
    during: dice.chance(0.3),
    intent: dice.chance(0.6) ? intent : dice.int(0, intents - 1),
    ...{ paid: intent, payer: part.payer, isLagging: dice.chance(0.5) },
  }
  const sent = {
    envelope: 'authorization',
    parts: [part],
    attack: drawAttack(dice, intents),
  } as const
  return { sent, handedIn }
}

function drawSingle(dice: Random, intent: number, intents: number): Drawn {
  const envelope = dice.weighted<Payment['envelope']>([
    [46, 'token'],
    [13, 'authorization'],
    [10, 'contract'],
    [8, 'relay'],
    [14, 'entry_point'],
    [4, 'safe'],
    [5, 'delegation'],
  ])
  const part = { ...drawPart(dice, intent), moved: true }
  const called = part.reference !== 'none' || dice.chance(0.85)
  // A call to the token begins with the call, at its first byte.
  const isBare = called && part.reference !== 'half_byte_off'
  const fits = envelope !== 'token' || isBare
  return {
    envelope: fits ? envelope : 'contract',
    parts: [{ ...part, called }],
    attack: drawAttack(dice, intents),
  }
}

function drawBundle(dice: Random, intent: number, intents: number): Drawn {
  const envelope = dice.weighted<Payment['envelope']>([
    [30, 'contract'],
    [20, 'relay'],
    [36, 'entry_point'],
    [6, 'safe'],
    [8, 'delegation'],
  ])
  const parts: PartPlan[] = []
  for (let count = dice.int(1, 6); count > 0; count -= 1) {
    const earlier = parts.at(-1)
    const repeated = earlier && dice.chance(0.3)
    const any = dice.chance(0.6) ? intent : dice.int(0, intents - 1)
    const drawn = drawPart(dice, any)
    // The same again, or what only differs in the reference.
    const copied =
      earlier && dice.chance(0.4) ? { ...earlier, reference: drawn.reference } : earlier
    parts.push({
      ...(repeated && copied ? copied : drawn),
      called: dice.chance(0.8),
      moved: dice.chance(0.85),
      misdirected: dice.chance(0.06),
      payer: repeated && dice.chance(0.6) ? earlier.payer : dice.int(0, 2),
      lookalike: dice.chance(0.04),
      toSelf: dice.chance(0.03),
    })
  }
  return { envelope, parts, attack: drawAttack(dice, intents) }
}

function drawAttack(dice: Random, intents: number): AttackPlan | null {
  if (!dice.chance(intents > 1 ? 0.35 : 0.1)) return null
  return {
    intent: dice.int(0, intents - 1),
    as: dice.pick(['operation', 'bytes']),
    first: dice.chance(0.5),
  }
}

function drawPart(dice: Random, intent: number): PartPlan {
  const isDust = dice.chance(0.09)
  return {
    intent,
    payer: isDust && dice.chance(0.7) ? stranger : dice.int(0, 2),
    amount: isDust ? 'dust' : drawAmount(dice),
    reference: dice.weighted<PartPlan['reference']>([
      [46, 'intended'],
      [32, 'none'],
      [6, 'truncated'],
      [8, 'other'],
      [5, 'foreign'],
      [3, 'half_byte_off'],
    ]),
    nonce: dice.weighted<PartPlan['nonce']>([
      [55, 'intended'],
      [15, 'other'],
      [15, 'random'],
      [15, 'none'],
    ]),
    called: true,
    moved: true,
    misdirected: false,
    lookalike: dice.chance(0.04),
    toSelf: dice.chance(0.03),
  }
}

function drawAmount(dice: Random): PartPlan['amount'] {
  return dice.weighted<PartPlan['amount']>([
    [42, 'payable'],
    [24, 'price'],
    [6, 'half'],
    [5, 'one_less'],
    [4, 'double'],
    [2, 'zero'],
    [4, 'rounded'],
    [3, 'less_fee'],
    [4, dice.int(1, 30_000)],
  ])
}

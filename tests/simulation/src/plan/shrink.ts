import { calm } from '../chain/chainConditions.ts'
import type { Violation } from '../violation.ts'
import type { Plan } from './drawPlan.ts'

/**
 * Looks for a smaller plan that violates the same invariant: first the failing histories alone, then without
 * each action, then with calm conditions in each step.
 *
 * @param attempt runs a plan; null when nothing went wrong
 */
export async function shrink(
  plan: Plan,
  original: Violation,
  attempt: (plan: Plan) => Promise<Violation | null>,
): Promise<{ plan: Plan; violation: Violation }> {
  let smallest = { plan, violation: original }
  const accept = async (smaller: Plan): Promise<boolean> => {
    const violation = await attempt(smaller)
    if (violation?.invariant !== original.invariant) return false
    smallest = { plan: smaller, violation }
    return true
  }

  const only = plan.histories.filter(({ wallet }) => original.histories.includes(wallet))
  const neighbours = plan.histories.filter(({ wallet }) =>
    original.histories.some((history) => Math.abs(history - wallet) <= 1),
  )
  const alone = only.length > 0 && (await accept({ ...plan, histories: only }))
  if (!alone && !(neighbours.length > 0 && (await accept({ ...plan, histories: neighbours })))) {
    return smallest
  }
  for (const { wallet, actions } of smallest.plan.histories) {
    for (const action of actions) {
      await accept({
        ...smallest.plan,
        histories: smallest.plan.histories.map((history) =>
          history.wallet === wallet
            ? {
                wallet,
                actions: history.actions.filter((candidate) => candidate !== action),
              }
            : history,
        ),
      })
    }
  }
  for (const [step, conditions] of plan.conditions.entries()) {
    for (const change of [{ ...calm, mine: conditions.mine }, { jump: 0 }, { mine: 1 }]) {
      const changed = smallest.plan.conditions.with(step, {
        ...(smallest.plan.conditions[step] ?? conditions),
        ...change,
      })
      await accept({ ...smallest.plan, conditions: changed })
    }
  }
  return smallest
}

import { calm } from '../chain/chainConditions.ts'
import type { Plan } from './drawPlan.ts'

/** A plan as text: a line per action, and per step whose conditions are not calm. */
export function describePlan(plan: Plan): string {
  const lines = [`seed ${plan.seed}, ${plan.network.name}`]
  for (const { wallet, actions } of plan.histories) {
    for (const action of actions) {
      const when = action.type === 'pay_early' ? 'before' : `step ${action.step}`
      lines.push(`${when}: wallet ${wallet}: ${JSON.stringify(action)}`)
    }
  }
  for (const [step, conditions] of plan.conditions.entries()) {
    const unusual = Object.entries(conditions).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(calm[name as keyof typeof calm]),
    )
    if (unusual.length > 0)
      lines.push(`step ${step}: ${JSON.stringify(Object.fromEntries(unusual))}`)
  }
  return lines.join('\n')
}

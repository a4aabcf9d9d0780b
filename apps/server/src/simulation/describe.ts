import type { Plan } from './plan.ts'
import { fairWeather } from './weather.ts'

/** A plan for a person to read: a line an action, a line a step whose weather is not fair. */
export function describePlan(plan: Plan): string {
  const lines = [`seed ${plan.seed}, ${plan.network.name}`]
  for (const { wallet, actions } of plan.histories) {
    for (const action of actions) {
      const when = action.type === 'pay_early' ? 'before' : `step ${action.step}`
      lines.push(`${when}: wallet ${wallet}: ${JSON.stringify(action)}`)
    }
  }
  for (const [step, weather] of plan.weather.entries()) {
    const unfair = Object.entries(weather).filter(
      ([name, value]) =>
        JSON.stringify(value) !== JSON.stringify(fairWeather[name as keyof typeof fairWeather]),
    )
    if (unfair.length > 0) lines.push(`step ${step}: ${JSON.stringify(Object.fromEntries(unfair))}`)
  }
  return lines.join('\n')
}

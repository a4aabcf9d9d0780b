import type { CopyField } from '../../checkout/state.ts'
import type { View } from '../view.ts'
import { h } from './h.ts'
import { Icon } from './Icon.tsx'

export function CopyButton({ view, field }: { view: View; field: CopyField }) {
  const { t, state, actions } = view
  const copied = state.copied === field
  return (
    <button
      type="button"
      class={copied ? 'link copied' : 'link'}
      aria-label={t(copied ? `${field}.copied` : `${field}.copy`)}
      onclick={() => actions.copy(field)}
    >
      <Icon name={copied ? 'check' : 'copy'} />
      {t(copied ? 'copied' : 'copy')}
    </button>
  )
}

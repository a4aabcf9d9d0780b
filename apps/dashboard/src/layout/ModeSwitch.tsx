import type { Mode } from '@payment-intents/contract'
import { useRouter } from '@tanstack/react-router'
import { setMode } from '../api/mode.ts'
import { queryClient } from '../queryClient.ts'
import { useSession } from '../session/session.ts'
import { texts } from '../texts.ts'

/** Switches the tab's mode, if the service follows chains of both modes. */
export function ModeSwitch() {
  const { mode, modes } = useSession()
  const router = useRouter()
  if (modes.length < 2) return <p className="badge">{texts.modes[mode]}</p>
  return (
    <select
      aria-label={texts.nav.mode}
      value={mode}
      onChange={async ({ target }) => {
        setMode(target.value as Mode)
        // Ids of one mode mean nothing in the other.
        await router.navigate({ to: '/' })
        await queryClient.resetQueries()
      }}
    >
      {modes.map((each) => (
        <option key={each} value={each}>
          {texts.modes[each]}
        </option>
      ))}
    </select>
  )
}

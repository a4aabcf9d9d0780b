import type { Mode } from '@payment-intents/contract'
import { openMode } from '../api/mode.ts'
import { useSession } from '../session/session.ts'
import { texts } from '../texts.ts'

/** Switches the tab's mode, if the service follows chains of both modes. */
export function ModeSwitch() {
  const { mode, modes } = useSession()
  if (modes.length < 2) return <p className="badge">{texts.modes[mode]}</p>
  return (
    <select
      aria-label={texts.nav.mode}
      value={mode}
      onChange={({ target }) => openMode(target.value as Mode)}
    >
      {modes.map((each) => (
        <option key={each} value={each}>
          {texts.modes[each]}
        </option>
      ))}
    </select>
  )
}

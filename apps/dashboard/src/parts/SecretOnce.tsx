import { texts } from '../texts.ts'
import { Copied } from './values/Copied.tsx'

/** A secret that is shown only once. */
export function SecretOnce({ secret, name, hint }: { secret: string; name: string; hint: string }) {
  return (
    <div className="note warn stack" role="status">
      <strong>{name}</strong>
      <Copied text={secret} name={name} />
      <span>
        {hint} {texts.shownOnce}
      </span>
    </div>
  )
}

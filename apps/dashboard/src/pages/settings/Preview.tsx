import { useEffect, useRef, useState } from 'react'
import type { Look } from '../../preview/look.ts'
import { texts } from '../../texts.ts'
import './preview.css'

const words = texts.settings.checkout
const screens = ['pay', 'paid'] as const

export function Preview({ look }: { look: Look }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [screen, setScreen] = useState<(typeof screens)[number]>('pay')
  const send = () => frame.current?.contentWindow?.postMessage(look, location.origin)
  useEffect(send, [look])
  return (
    <div className="stack preview">
      <label>
        {words.previewScreen}
        <select value={screen} onChange={(event) => setScreen(event.target.value as typeof screen)}>
          {screens.map((each) => (
            <option key={each} value={each}>
              {words.previewScreens[each]}
            </option>
          ))}
        </select>
      </label>
      <iframe
        key={screen}
        ref={frame}
        title={words.preview}
        src={`/preview.html?locale=en#${screen}`}
        tabIndex={-1}
        onLoad={send}
      />
    </div>
  )
}

import { useEffect, useState } from 'react'
import { texts } from '../../texts.ts'

/** A text with a button that copies it. @param short shows only the text's ends */
export function Copied({
  text,
  name,
  short = false,
}: {
  text: string
  name: string
  short?: boolean
}) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <span className="copied">
      <code title={text}>{short ? shorten(text) : text}</code>
      <button
        type="button"
        className="plain"
        aria-label={texts.copy(name)}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {isCopied ? texts.copied : texts.copyShort}
      </button>
      <span className="unseen" role="status">
        {isCopied ? texts.copied : ''}
      </span>
    </span>
  )
}

/** The start and the end, by which people tell addresses and hashes apart. */
export function shorten(text: string): string {
  return text.length <= 14 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`
}

import { generate } from 'lean-qr/nano'

export type QrPath = {
  /** Modules along one side. */
  size: number
  /** SVG path data, one unit a module. */
  path: string
}

let last: { text: string; drawn: QrPath } | null = null

/** The dark modules of a QR code as one path; each run of them along a row is one rectangle. */
export function qrPath(text: string): QrPath {
  if (last?.text !== text) last = { text, drawn: draw(text) }
  return last.drawn
}

function draw(text: string): QrPath {
  const code = generate(text)
  let path = ''
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      const start = x
      while (code.get(x, y)) x += 1
      if (x > start) path += `M${start} ${y}h${x - start}v1h${start - x}z`
    }
  }
  return { size: code.size, path }
}

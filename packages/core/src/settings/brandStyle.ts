import { contrast, type Rgb, readable } from './contrast.ts'

/** The custom properties of an accent. */
export type BrandStyle = Readonly<Record<`--${string}`, string>>

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
/** The worst background of text in the accent's colour: `--soft` of `packages/browser/src/shell/shell.css`. */
const surfaces = { light: [0xf4, 0xf5, 0xf8], dark: [0x1d, 0x21, 0x27] } as const

/**
 * The colours derived from a merchant's accent: itself behind buttons, the text on it, and the nearest readable colours
 * on light and on dark.
 * @param accent `#rrggbb`
 */
export function brandStyle(accent: string): BrandStyle {
  const color = parse(accent)
  const on = contrast(color, white) >= readable ? white : black
  return {
    '--payment-intents-accent': accent,
    '--payment-intents-on-accent': print(on),
    '--accent-on-light': print(readableOn(surfaces.light, color, black)),
    '--accent-on-dark': print(readableOn(surfaces.dark, color, white)),
  }
}

/** The colour closest to this that is readable on the surface, mixed with black or white. */
function readableOn(surface: Rgb, color: Rgb, towards: Rgb): Rgb {
  const mixed = (percent: number) =>
    color.map((value, part) =>
      Math.round(value + (((towards[part] ?? 0) - value) * percent) / 100),
    ) as unknown as Rgb
  let percent = 0
  while (contrast(mixed(percent), surface) < readable) percent += 1
  return mixed(percent)
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

function print(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

export type Rgb = readonly [red: number, green: number, blue: number]

/** The contrast of text and its background (WCAG 2.2, 1.4.3). */
export const readable = 4.5

/** The contrast ratio of two colours: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(first: Rgb, second: Rgb): number {
  const [light, dark] = [luminance(first), luminance(second)].sort((a, b) => b - a) as [
    number,
    number,
  ]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

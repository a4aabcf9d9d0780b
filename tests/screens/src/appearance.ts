import type { Walk } from './walk.ts'

export type Appearance = 'light' | 'phone' | 'narrow' | 'dark'

const viewports: Record<Appearance, { width: number; height: number }> = {
  light: { width: 1000, height: 900 },
  dark: { width: 1000, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 320, height: 640 },
}

/** Shows the screen that is open as another device shows it. */
export async function dress(
  { page, pointWith, advanceSecond }: Walk,
  appearance: Appearance,
): Promise<void> {
  const colorScheme = appearance === 'dark' ? 'dark' : 'light'
  const { width } = viewports[appearance]
  await pointWith(width < 480 ? 'finger' : 'mouse')
  await page.setViewportSize(viewports[appearance])
  await page.emulateMedia({ colorScheme })
  // The checkout looks at its surroundings once a second.
  const drawn = page.locator(`dialog.${colorScheme}`)
  if (!(await drawn.isVisible())) await advanceSecond()
  await drawn.waitFor()
}

/** A merchant's look, as the service reports it. */
export type Brand = {
  /** Custom properties of the page. */
  style: Record<string, string>
  /** `#rrggbb`; null: the page's own colours. */
  accent: string | null
  /** A path of the service; null: none. */
  logo: string | null
}

/** Draws the page in a merchant's colours and with its logo. Resolves once the logo is loaded or has failed. */
export async function applyBrand({ style, accent, logo }: Brand): Promise<void> {
  const page = document.documentElement
  const set = (properties: Record<string, string>) => {
    for (const name in properties) page.style.setProperty(name, properties[name] ?? '')
  }
  set(style)
  if (accent && !document.querySelector('[name=theme-color]')) {
    const meta = Object.assign(document.createElement('meta'), { name: 'theme-color' })
    meta.content = accent
    document.head.append(meta)
  }
  if (!logo) return
  const image = new Image()
  image.src = logo
  // Without a logo, the initial of the name stays.
  await image.decode().then(
    () => set({ '--logo': `url("${logo}")`, '--logo-paper': '#fff', '--initial': 'transparent' }),
    () => {},
  )
}

import { type BrandStyle, brandStyle, logoPath } from '@payment-intents/core'
import type { Brand } from '../../store/merchants/brands.ts'

/** The part of a merchant's brand that the hosted page draws. */
export type PageBrand = {
  /** Custom properties of the whole page. */
  readonly style: BrandStyle
  /** `#rrggbb`, for the browser's own bars around the page. */
  readonly accent: string | null
  /** A path of this server. */
  readonly logo: string | null
}

export function presentBrand({ accent, logo }: Brand): PageBrand {
  return { accent, style: accent ? brandStyle(accent) : {}, logo: logo && logoPath(logo) }
}

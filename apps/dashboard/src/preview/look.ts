/** The part of the settings that payers see. */
export type Look = {
  readonly name: string
  readonly support: string | null
  /** `#rrggbb`; null: the checkout's own. */
  readonly accent: string | null
  /** A path of the dashboard, or a data URL; null: none. */
  readonly logo: string | null
}

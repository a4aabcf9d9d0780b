/** The settings that payers see. */
export type Look = {
  readonly name: string
  readonly support: string | null
  /** `#rrggbb`; null: the checkout's default. */
  readonly accent: string | null
  /** A path of the dashboard, or a data URL; null: none. */
  readonly logo: string | null
}

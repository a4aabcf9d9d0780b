import { endpoints, type Settings, type UpdateSettings } from '@payment-intents/contract'
import type { ReadOptions } from '../../options/clientOptions.ts'
import { method } from '../../requests/method.ts'
import type { Send } from '../../requests/send.ts'

/** Named after the resource, since the API calls its object the same. */
export type SettingsResource = {
  /**
   * Retrieves the merchant's settings. `chains` has the settings for the mode of the API key.
   *
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * const { name, brand } = await createClient().settings.retrieve()
   * console.log(name, brand.logo)
   * ```
   */
  retrieve(options?: ReadOptions): Promise<Settings>

  /**
   * Changes the passed settings: all of them, or nothing if the service refuses one. Idempotent.
   *
   * @param params the changes; `brand.logo` is a data URL
   * @throws PaymentIntentsError `invalid_body`, or `conflict` with reason `illegal_state` for `match_plain_price` on a chain
   *   without a registered wallet
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * await createClient().settings.update({
   *   brand: { accent: '#0f766e' },
   *   support: 'help@shop.example',
   *   chains: { base: { confirmations_required: 10 } },
   * })
   * ```
   */
  update(params: UpdateSettings, options?: ReadOptions): Promise<Settings>
}

export function settings(send: Send): SettingsResource {
  return {
    retrieve: method(send, endpoints.retrieveSettings),
    update: method(send, endpoints.updateSettings),
  }
}

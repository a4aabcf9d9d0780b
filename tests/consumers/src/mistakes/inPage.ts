import type { Mistake } from './mistake.ts'

/** Mistakes in a page with the script of the service: JavaScript that is run in it. */
export const inPage: readonly Mistake[] = [
  {
    mistake: 'No client secret, since the backend failed',
    code: "openServiceModal({ clientSecret: undefined, merchantName: 'Kiosk', ...callbacks })",
    about: 'clientSecret',
  },
  {
    mistake: "An option in the API's snake_case",
    code: "openServiceModal({ client_secret: intent.client_secret, merchantName: 'Kiosk', ...callbacks })",
    about: 'clientSecret',
  },
  {
    mistake: 'The whole payment intent in place of its client secret',
    code: "openServiceModal({ clientSecret: intent, merchantName: 'Kiosk', ...callbacks })",
    about: 'clientSecret',
  },
  {
    mistake: 'The API key in place of the client secret',
    code: "openServiceModal({ clientSecret: apiKey, merchantName: 'Kiosk', ...callbacks })",
    about: 'clientSecret',
  },
  {
    mistake: 'No name of the shop',
    code: 'openServiceModal({ clientSecret: intent.client_secret, ...callbacks })',
    about: 'merchantName',
  },
  {
    mistake: 'A client secret of another service',
    code: "openServiceModal({ clientSecret: 'pi_0Vn4kTqWbyG7_secret_0Vn4kTqWbyG70Vn4kTqWbyG7', merchantName: 'Kiosk', ...callbacks })",
    about: 'baseUrl',
  },
  {
    mistake: 'The API called by the page with the API key',
    code: "fetch(baseUrl + '/v1/payment_intents', { headers: { authorization: 'Bearer ' + apiKey } }).catch(() => {})",
    about: 'CORS',
  },
  {
    mistake: "Stripe's name of a callback",
    code: "openServiceModal({ clientSecret: intent.client_secret, merchantName: 'Kiosk', onComplete() {}, ...callbacks })",
    about: 'onComplete',
  },
  {
    mistake: 'The address of a service that is not running',
    code: "openServiceModal({ clientSecret: intent.client_secret, merchantName: 'Kiosk', baseUrl: 'http://localhost:1024', ...callbacks })",
    about: 'baseUrl',
  },
]

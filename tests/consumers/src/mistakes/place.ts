import type { Mistake } from './mistake.ts'

/** Code in the wrong place: a module that Node.js runs in a project that has installed the packages. */
export const outOfPlace: readonly Mistake[] = [
  {
    mistake: "The backend's client in a bundle for the browser",
    code: "await import('@payment-intents/node')",
    about: '@payment-intents/node',
  },
  {
    mistake: 'The checkout opened on the server',
    code: "(await import('@payment-intents/browser')).openServiceModal({ clientSecret: 'pi_1_secret_1', merchantName: 'Kiosk', baseUrl: 'https://pay.example.com' })",
    about: 'openServiceModal',
  },
  {
    mistake: 'The checkout opened by the hook while the server renders',
    code: "renderToString(createElement(() => useServiceModal({ clientSecret: 'pi_1_secret_1', merchantName: 'Kiosk', baseUrl: 'https://pay.example.com' }).open()))",
    about: 'openServiceModal',
  },
]

import { fileURLToPath } from 'node:url'

/** The smallest program that puts a checkout's button into a page, as its own documentation shows it. */
export type Checkout = {
  readonly program: string
  /** Its import: our packages as built, or a peer's by exact version. */
  readonly from: { readonly folder: string } | { readonly npm: Readonly<Record<string, string>> }
  /** The chunks fetched on demand that paying in English with a wallet does not fetch; unknown of peers. */
  readonly idle?: RegExp
  /** The parts that its numbers omit. */
  readonly note?: string
}

const react = { react: '19.3.1', 'react-dom': '19.3.1' }
const wallet = '0x1111111111111111111111111111111111111111'
/** From here both of ours are found. */
export const ours = { folder: fileURLToPath(new URL('../../packages/react', import.meta.url)) }
/** Other languages (English is in the modal's own file), and the chunks for a payment by QR code or by hand. */
const unopened = /\/dist\/([a-z]{2}|loadMessages|manualParts|mountLink)-\w+\.js$/

export const checkouts: Readonly<Record<string, Checkout>> = {
  '@payment-intents/browser': {
    from: ours,
    idle: unopened,
    program: `
      import { openServiceModal } from '@payment-intents/browser'
      document.querySelector('#pay').addEventListener('click', ({ target }) => {
        const { clientSecret } = target.dataset
        openServiceModal({ clientSecret, merchantName: 'Kiosk', baseUrl: 'https://pay.example.com' })
      })`,
  },
  '@payment-intents/react': {
    from: ours,
    idle: unopened,
    program: `
      import { useServiceModal } from '@payment-intents/react'
      import { createRoot } from 'react-dom/client'
      function Pay({ clientSecret }) {
        const { open } = useServiceModal({
          clientSecret, merchantName: 'Kiosk', baseUrl: 'https://pay.example.com',
        })
        return <button type="button" onClick={open}>Pay</button>
      }
      createRoot(document.body).render(<Pay clientSecret="pi_1_secret_1" />)`,
  },
  'Base Pay': {
    from: { npm: { '@base-org/account': '2.5.10' } },
    note: 'it opens a window of another origin, whose page is not counted',
    program: `
      import { pay } from '@base-org/account'
      document.querySelector('#pay').addEventListener('click', () =>
        pay({ amount: '25.00', to: '${wallet}' }))`,
  },
  OnchainKit: {
    from: {
      npm: {
        '@coinbase/onchainkit': '1.1.3',
        '@tanstack/react-query': '5.108.0',
        viem: '2.57.20',
        wagmi: '2.19.5',
        ...react,
      },
    },
    program: `
      import { OnchainKitProvider } from '@coinbase/onchainkit'
      import { Checkout, CheckoutButton, CheckoutStatus } from '@coinbase/onchainkit/checkout'
      import '@coinbase/onchainkit/styles.css'
      import { createRoot } from 'react-dom/client'
      import { base } from 'viem/chains'
      createRoot(document.body).render(
        <OnchainKitProvider apiKey="key" chain={base}>
          <Checkout productId="product"><CheckoutButton /><CheckoutStatus /></Checkout>
        </OnchainKitProvider>)`,
  },
  AppKit: {
    from: {
      npm: {
        '@reown/appkit': '1.8.24',
        '@reown/appkit-adapter-ethers': '1.8.24',
        ethers: '6.17.0',
      },
    },
    note: 'with the ethers adapter; it connects a wallet and leaves the payment to the page',
    program: `
      import { createAppKit } from '@reown/appkit'
      import { EthersAdapter } from '@reown/appkit-adapter-ethers'
      import { base } from '@reown/appkit/networks'
      const modal = createAppKit({
        adapters: [new EthersAdapter()], networks: [base], projectId: 'project',
        metadata: { name: 'Kiosk', description: 'Kiosk', url: location.origin, icons: [] },
      })
      document.querySelector('#pay').addEventListener('click', () => modal.open())`,
  },
  Daimo: {
    from: {
      npm: { '@daimo/sdk': '1.7.0', '@solana/web3.js': '1.98.4', qrcode: '1.5.4', ...react },
    },
    note: '@daimo/sdk, which its @daimo/pay names as its successor',
    program: `
      import { DaimoModal, DaimoSDKProvider } from '@daimo/sdk/web'
      import '@daimo/sdk/web/theme.css'
      import { createRoot } from 'react-dom/client'
      createRoot(document.body).render(
        <DaimoSDKProvider>
          <DaimoModal sessionId="session" clientSecret="secret" defaultOpen={false} />
        </DaimoSDKProvider>)`,
  },
  'Stripe.js loader': {
    from: { npm: { '@stripe/stripe-js': '10.2.1' } },
    note: 'Stripe.js itself comes from its own server and is not counted',
    program: `
      import { loadStripe } from '@stripe/stripe-js'
      loadStripe('pk_test_key')`,
  },
}

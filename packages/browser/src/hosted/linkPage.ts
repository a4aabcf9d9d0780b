import type { CheckoutTheme } from '../checkoutOptions.ts'
import { mountLink } from '../link/mountLink.tsx'
import { bundledLoaders } from '../open/bundledLoaders.ts'
import { openWith } from '../open/openWith.ts'
import { createHostedPage } from './createHostedPage.ts'

// The page of a payment link, `/l/<id>`: the step before the checkout, and the checkout. The id is public; the page keeps the secrets of
// payments in memory only, and the tab keeps the visitor's key.

const summary = document.querySelector('main')
const container = document.querySelector<HTMLElement>('#checkout') ?? document.body
const query = new URLSearchParams(location.search)

const page = createHostedPage({
  ...{ summary, container },
  // The service returns no brand with a link.
  waitsForLook: false,
  missing: () => ({}),
})

const loaders = {
  ...bundledLoaders,
  link: async () => ({ mountLink }),
}

container.hidden = true
openWith(
  loaders,
  {
    paymentLink: decodeURIComponent(location.pathname.replace(/^\/l\//, '')),
    // The service names the merchant.
    merchantName: '-',
    baseUrl: location.origin,
    theme: (query.get('theme') ?? undefined) as CheckoutTheme | undefined,
    locale: query.get('locale') ?? undefined,
    container,
  },
  {
    ...page,
    get returnUrl() {
      return page.returnUrl
    },
    stepDrawn(title, link, isReady) {
      if (link) page.settle({ return_url: link.return_url, brand: null })
      page.dress(link ? title : '', isReady)
    },
  },
)

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Chain } from '../networks.ts'
import { ShopPage } from './ShopPage.tsx'

const root = document.getElementById('root')
const api = document.querySelector<HTMLMetaElement>('meta[name=payment-intents-api]')
const offered = document.querySelector<HTMLMetaElement>('meta[name=shop-chains]')
const chains = (offered?.content.split(' ') ?? []) as Chain[]
if (root && api)
  createRoot(root).render(
    <StrictMode>
      <ShopPage baseUrl={api.content} chains={chains} />
    </StrictMode>,
  )

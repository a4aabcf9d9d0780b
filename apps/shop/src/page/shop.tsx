import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ShopPage } from './ShopPage.tsx'

const root = document.getElementById('root')
const api = document.querySelector<HTMLMetaElement>('meta[name=payment-intents-api]')
if (root && api)
  createRoot(root).render(
    <StrictMode>
      <ShopPage baseUrl={api.content} />
    </StrictMode>,
  )

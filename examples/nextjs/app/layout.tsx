import type { ReactNode } from 'react'

export const metadata = { title: 'Kiosk' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <h1>Kiosk</h1>
        {children}
      </body>
    </html>
  )
}

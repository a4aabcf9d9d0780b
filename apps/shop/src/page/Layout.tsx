import type { ReactNode } from 'react'

export function Layout(props: { current: 'shop' | 'order' | 'deliveries'; children: ReactNode }) {
  return (
    <>
      <header className="wrap top">
        <a className="brand" href="/">
          <img src="/mark.svg" alt="" />
          Hollow Hill
        </a>
        <nav aria-label="Shop">
          <a href="/" aria-current={props.current === 'shop' ? 'page' : undefined}>
            All goods
          </a>
          <a href="/spoon.html">Spoon</a>
          <a href="/plain.html">Teapot</a>
        </nav>
        <shop-choices />
      </header>
      {props.children}
      <footer className="wrap">
        <div className="foot">
          <span>Hollow Hill, a demonstration shop</span>
          <span>USDC, straight to the maker</span>
        </div>
      </footer>
    </>
  )
}

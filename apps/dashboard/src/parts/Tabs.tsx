import { Link, type LinkProps } from '@tanstack/react-router'
import './tabs.css'

/** Links between pages that belong together. */
export function Tabs({
  name,
  tabs,
}: {
  name: string
  tabs: readonly { to: NonNullable<LinkProps['to']>; name: string }[]
}) {
  return (
    <nav aria-label={name} className="tabs">
      <ul>
        {tabs.map((tab) => (
          <li key={tab.name}>
            <Link to={tab.to} activeOptions={{ exact: true }}>
              {tab.name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

import { Tabs } from '../../parts/Tabs.tsx'
import { texts } from '../../texts.ts'

const { tabs, title } = texts.settings

export const settingsTabs = (
  <Tabs
    name={title}
    tabs={[
      { to: '/settings', name: tabs.checkout },
      { to: '/settings/wallets', name: tabs.wallets },
      { to: '/settings/people', name: tabs.people },
      { to: '/settings/security', name: tabs.security },
      { to: '/settings/log', name: tabs.log },
    ]}
  />
)

import { Tabs } from '../../parts/Tabs.tsx'
import { texts } from '../../texts.ts'

const { developers } = texts

export const developerTabs = (
  <Tabs
    name={developers.title}
    tabs={[
      { to: '/developers/webhooks', name: developers.webhooks },
      { to: '/developers/keys', name: developers.keys },
      { to: '/developers/events', name: developers.events },
    ]}
  />
)

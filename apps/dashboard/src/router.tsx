import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { Layout } from './layout/Layout.tsx'
import { Overview } from './pages/overview/Overview.tsx'
import { periodOf, readPeriod } from './pages/overview/periods.ts'
import { summaryQuery } from './pages/overview/summaryQuery.ts'
import { readFilters } from './pages/payments/filters.ts'
import { Payments } from './pages/payments/Payments.tsx'
import { paymentsQuery } from './pages/payments/paymentsQuery.ts'
import { readRefundFilters } from './pages/refunds/filters.ts'
import { Page } from './parts/Page.tsx'
import { queryClient } from './queryClient.ts'
import { texts } from './texts.ts'

const root = createRootRoute({
  component: Layout,
  notFoundComponent: () => <Page title={texts.notFound.title}>{texts.notFound.text}</Page>,
})

const routes = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    validateSearch: readPeriod,
    loaderDeps: ({ search }) => search,
    loader({ deps: { period = 'week' } }) {
      void queryClient.prefetchQuery(summaryQuery(periodOf(period, Date.now())))
    },
    component: Overview,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/payments',
    validateSearch: readFilters,
    loaderDeps: ({ search: { q: _, ...filters } }) => filters,
    loader({ deps }) {
      void queryClient.prefetchInfiniteQuery(paymentsQuery(deps))
    },
    component: Payments,
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/payments/$id',
    component: lazyRouteComponent(() => import('./pages/payment/Payment.tsx'), 'Payment'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/needs-you',
    component: lazyRouteComponent(() => import('./pages/needsYou/NeedsYou.tsx'), 'NeedsYou'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/refunds',
    validateSearch: readRefundFilters,
    component: lazyRouteComponent(() => import('./pages/refunds/Refunds.tsx'), 'Refunds'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/refunds/$id',
    component: lazyRouteComponent(() => import('./pages/refunds/Refund.tsx'), 'Refund'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/links',
    component: lazyRouteComponent(() => import('./pages/links/Links.tsx'), 'Links'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/links/$id',
    component: lazyRouteComponent(() => import('./pages/links/PaymentLink.tsx'), 'PaymentLink'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/developers/webhooks',
    component: lazyRouteComponent(() => import('./pages/developers/Webhooks.tsx'), 'Webhooks'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/developers/webhooks/$id',
    component: lazyRouteComponent(() => import('./pages/developers/Endpoint.tsx'), 'Endpoint'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/developers/keys',
    component: lazyRouteComponent(() => import('./pages/developers/ApiKeys.tsx'), 'ApiKeys'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/developers/events',
    component: lazyRouteComponent(() => import('./pages/developers/Events.tsx'), 'Events'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings',
    component: lazyRouteComponent(() => import('./pages/settings/Checkout.tsx'), 'Checkout'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings/wallets',
    component: lazyRouteComponent(() => import('./pages/settings/Wallets.tsx'), 'Wallets'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings/people',
    component: lazyRouteComponent(() => import('./pages/settings/People.tsx'), 'People'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings/security',
    component: lazyRouteComponent(() => import('./pages/settings/Security.tsx'), 'Security'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings/log',
    component: lazyRouteComponent(() => import('./pages/settings/AuditLog.tsx'), 'AuditLog'),
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

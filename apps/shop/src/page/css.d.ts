import 'react'

declare module 'react' {
  interface CSSProperties {
    '--tint'?: string
  }
  namespace JSX {
    interface IntrinsicElements {
      /** Dispatched by `public/choices.js`. */
      'shop-choices': object
    }
  }
}

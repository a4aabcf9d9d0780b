import 'react'

declare module 'react' {
  interface CSSProperties {
    '--tint'?: string
  }
  namespace JSX {
    interface IntrinsicElements {
      /** Of `public/choices.js`. */
      'shop-choices': object
    }
  }
}

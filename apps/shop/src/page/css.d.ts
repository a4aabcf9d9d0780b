import 'react'

declare module 'react' {
  interface CSSProperties {
    '--tint'?: string
  }
}

declare module 'superfine' {
  /** Opaque: made by `h` and `text`, drawn by `patch`. */
  export type VNode = { readonly tag: string; readonly children: readonly unknown[] }

  export function h(tag: string, props: object, children: readonly unknown[]): VNode
  export function text(value: string): VNode
  /** Updates the node to match the virtual one; returns the node or its replacement. */
  export function patch(node: Element, vnode: VNode): Element
}

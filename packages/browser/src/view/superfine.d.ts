declare module 'superfine' {
  /** Opaque: made by `h` and `text`, drawn by `patch`. */
  export type VNode = { readonly tag: string; readonly children: readonly unknown[] }

  export function h(tag: string, props: object, children: readonly unknown[]): VNode
  export function text(value: string): VNode
  /** Makes the node look like the virtual one; returns the node, or the one that took its place. */
  export function patch(node: Element, vnode: VNode): Element
}

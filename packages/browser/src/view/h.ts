import { h as createVNode, text, type VNode } from 'superfine'

export type Child = VNode | string | number | false | null | undefined | readonly Child[]

/** Attributes of an element; `on…` are listeners, others become properties or attributes. */
type Attributes = {
  key?: string | number
  class?: string
  tabIndex?: number
  onclick?: (event: MouseEvent) => void
  onchange?: (event: Event) => void
  onkeydown?: (event: KeyboardEvent) => void
  [name: `aria-${string}`]: string
  [name: `data-${string}`]: string
}

type Component<Props> = (props: Props) => VNode | null

/** JSX for Superfine: components are plain functions, and `false` and `null` draw nothing. */
export function h<Props>(
  type: string | Component<Props>,
  props: Props | null,
  ...children: readonly Child[]
): VNode | null {
  if (typeof type === 'function') return type(props ?? ({} as Props))
  return createVNode(type, props ?? {}, flatten(children))
}

function flatten(children: readonly Child[]): readonly unknown[] {
  return children.flatMap((child) =>
    isList(child) ? flatten(child) : isText(child) ? text(String(child)) : child,
  )
}

function isList(child: Child): child is readonly Child[] {
  return Array.isArray(child)
}

function isText(child: Child): child is string | number {
  return typeof child === 'string' || typeof child === 'number'
}

export declare namespace h {
  namespace JSX {
    type Element = VNode | null
    type IntrinsicElements = Record<string, Attributes & Record<string, unknown>>
    type IntrinsicAttributes = { key?: string | number }
  }
}

import type { Content, VNode } from './patch.ts'

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

/** JSX: components are plain functions, and `false` and `null` are drawn as an empty text, which keeps their place. */
export function h<Props>(
  type: string | Component<Props>,
  props: Props | null,
  ...children: readonly Child[]
): VNode | null {
  if (typeof type === 'function') return type(props ?? ({} as Props))
  return { tag: type, props: props ?? {}, children: flatten(children) }
}

function flatten(children: readonly Child[]): readonly Content[] {
  return children.flatMap((child) => {
    if (isList(child)) return flatten(child)
    if (typeof child === 'number') return String(child)
    return child || ''
  })
}

function isList(child: Child): child is readonly Child[] {
  return Array.isArray(child)
}

export declare namespace h {
  namespace JSX {
    type Element = VNode | null
    type IntrinsicElements = Record<string, Attributes & Record<string, unknown>>
    type IntrinsicAttributes = { key?: string | number }
  }
}

import type { Kit } from '../modal.tsx'
import type { h as view } from '../view/parts/h.ts'

/**
 * The parts of the checkout that the step shares, handed over by its file: were they imported, bundlers would split the
 * checkout in two for everybody. Set before anything of the step is drawn.
 */
export let kit: Kit

export function useKit(given: Kit): void {
  kit = given
}

/** JSX, as in the checkout. */
export function h(...given: Parameters<typeof view>): ReturnType<typeof view> {
  return kit.h(...given)
}

export declare namespace h {
  namespace JSX {
    type Element = view.JSX.Element
    type IntrinsicElements = view.JSX.IntrinsicElements
    type IntrinsicAttributes = view.JSX.IntrinsicAttributes
  }
}

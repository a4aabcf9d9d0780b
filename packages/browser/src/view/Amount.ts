import { h } from './h.ts'

/** An amount in large type, its token smaller. */
export function Amount({ text, tag }: { text: string; tag: 'h2' | 'p' }) {
  const [number = '', token] = text.split(/\s(?=\S+$)/)
  const props = { class: `amount${number.length > 10 ? ' long' : ''}`, tabIndex: -1 }
  return h(
    tag,
    tag === 'p' ? { class: props.class } : props,
    h('bdi', null, number, ' ', h('small', null, token)),
  )
}

import { h } from './h.ts'

/** An amount in large type, its token smaller. */
export function Amount({ text, tag }: { text: string; tag: 'h2' | 'p' }) {
  const [number = '', token] = text.split(/\s(?=\S+$)/)
  const size = number.length > 10 ? 'amount long' : 'amount'
  return h(tag, { class: size, tabIndex: -1 }, h('bdi', null, number, ' ', h('small', null, token)))
}

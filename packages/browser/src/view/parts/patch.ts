/** An element to be drawn, or its text. */
export type Content = VNode | string
export type VNode = { tag: string; props: Props; children: readonly Content[] }
type Props = Readonly<Record<string, unknown>>

/** The last drawing of an element; the shell's elements are drawn over. */
const drawn = new WeakMap<Node, Props>()

/**
 * Draws over a node and changes only what differs. A child is known by its place and its key; none is moved, since the
 * focus would be lost.
 */
export function patch(node: ChildNode, content: Content, isInSvg = false): void {
  if (typeof content === 'string') {
    if (!(node instanceof Text)) node.replaceWith(content)
    else if (node.data !== content) node.data = content
    return
  }
  const { tag, props, children } = content
  const isSvg = isInSvg || tag === 'svg'
  let element = node as Element
  let before = drawn.get(node) ?? {}
  if (node.nodeName.toLowerCase() !== tag) {
    element = document.createElementNS(
      `http://www.w3.org/${isSvg ? '2000/svg' : '1999/xhtml'}`,
      tag,
    )
    before = {}
    node.replaceWith(element)
  }
  drawn.set(element, props)
  for (const name of Object.keys({ ...before, ...props })) {
    // The payer changes it too.
    const now = name === 'checked' ? (element as HTMLInputElement).checked : before[name]
    if (now !== props[name]) setProperty(element, name, props[name], isSvg)
  }
  const { childNodes } = element
  const keyAt = (index: number) => drawn.get(childNodes[index] as Node)?.key
  const keys = children.map((child) => typeof child !== 'string' && child.props.key)
  keys.forEach((key, index) => {
    for (let old = keyAt(index); old && !keys.includes(old); old = keyAt(index)) {
      childNodes[index]?.remove()
    }
    const current = childNodes[index]
    const isOther = !current || (drawn.has(current) && keyAt(index) !== (key || undefined))
    const place = isOther ? element.insertBefore(new Text(), current ?? null) : current
    patch(place, children[index] ?? '', isSvg)
  })
  while (childNodes.length > keys.length) element.lastChild?.remove()
}

function setProperty(element: Element, name: string, value: unknown, isSvg: boolean): void {
  if (name === 'key') return
  if (!isSvg && name in element) Object.assign(element, { [name]: value ?? '' })
  else if (value === undefined) element.removeAttribute(name)
  else element.setAttribute(name, String(value))
}

/** Creates an element with attributes and children. Markup as text would need a policy on a page that requires trusted types. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | undefined> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const name in attributes) element.setAttribute(name, attributes[name] ?? '')
  element.append(...children)
  return element
}

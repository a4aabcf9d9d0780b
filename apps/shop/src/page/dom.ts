/** Adds a callback of the checkout to the list at the end of the page. */
export function record(callback: string, argument?: object): void {
  const line = document.createElement('li')
  line.dataset.callback = callback
  line.textContent = `${callback}(${argument ? JSON.stringify(argument) : ''})`
  find('#callbacks').append(line)
}

/** The element of a selector. Throws if the page has none. */
export function find<element extends HTMLElement = HTMLElement>(selector: string): element {
  const result = document.querySelector<element>(selector)
  if (!result) throw new Error(`The page has no ${selector}.`)
  return result
}

{
  // A visitor's choices are only in the address, such as /?theme=dark&lang=ar, and carry over to the next page.
  const choices = {
    lang: {
      label: 'Language',
      options: {
        '': 'automatic',
        ar: 'العربية',
        de: 'Deutsch',
        en: 'English',
        es: 'Español',
        fr: 'Français',
        hi: 'हिन्दी',
        it: 'Italiano',
        ja: '日本語',
        ko: '한국어',
        pt: 'Português',
        tr: 'Türkçe',
        zh: '中文',
      },
    },
    theme: { label: 'Look', options: { '': 'automatic', light: 'light', dark: 'dark' } },
    wallet: { label: 'Demo wallet', options: { '': 'everyday', smart: 'smart' } },
  }

  const chosen = (name) => {
    const value = new URLSearchParams(location.search).get(name) ?? ''
    return Object.hasOwn(choices[name].options, value) ? value : ''
  }

  const choose = (name, value) => {
    const address = new URL(location.href)
    if (value) address.searchParams.set(name, value)
    else address.searchParams.delete(name)
    // A wallet announces itself when the page is loaded.
    if (name === 'wallet') location.replace(address)
    else history.replaceState(history.state, '', address)
    apply()
  }

  const apply = () => {
    document.documentElement.dataset.theme = chosen('theme') || 'auto'
    document.documentElement.dataset.locale = chosen('lang')
    window.dispatchEvent(new Event('choices'))
  }

  // In the head, so that the page is never drawn in another theme than the chosen theme.
  apply()

  addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a[href^="/"]') : null
    if (link) link.search = location.search
  })

  customElements.define(
    'shop-choices',
    class extends HTMLElement {
      connectedCallback() {
        const hasWallet = document.querySelector('meta[name=demo-wallet-rpc]')
        const names = Object.keys(choices).filter((name) => name !== 'wallet' || hasWallet)
        this.replaceChildren(...names.map(field))
      }
    },
  )

  const field = (name) => {
    const select = document.createElement('select')
    select.name = name
    for (const [value, text] of Object.entries(choices[name].options)) {
      const option = new Option(text, value, false, value === chosen(name))
      if (name === 'lang') option.lang = value || 'en'
      select.add(option)
    }
    select.addEventListener('change', () => choose(name, select.value))
    const label = document.createElement('label')
    label.append(choices[name].label, select)
    return label
  }
}

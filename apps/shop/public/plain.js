{
  const banner = document.querySelector('#order')
  const checkout = document.querySelector('#checkout')
  let ordering = false
  let isOpened = false
  checkout.addEventListener('click', () => {
    isOpened = true
  })

  for (const button of document.querySelectorAll('[data-lane]')) {
    button.addEventListener('click', () => buy(button.dataset.lane))
  }

  async function buy(lane) {
    if (ordering) return
    ordering = true
    try {
      const response = await fetch('/api/orders', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        // A shop that sells on several networks offers a choice.
        body: JSON.stringify({
          product_id: 'teapot',
          lane,
          chain: document.querySelector('#network')?.value,
        }),
      })
      if (!response.ok) throw new Error('The order was refused.')
      const { order_id, client_secret } = await response.json()
      const order = { id: order_id, clientSecret: client_secret }
      keep(order)
      show(order)
      checkout.click()
    } catch {
      banner.hidden = true
      document.querySelector('#failed').hidden = false
    } finally {
      ordering = false
    }
  }

  // This tab finds its order again after a reload.
  function keep(order) {
    try {
      sessionStorage.setItem('order', JSON.stringify(order))
    } catch {
      // Storage may be denied; the order can still be paid.
    }
  }

  void resume()

  // Shows an order that was placed before the page was loaded, until it is paid or its checkout is opened here.
  async function resume(isShown = false) {
    try {
      const order = JSON.parse(sessionStorage.getItem('order'))
      const { status } = await (await fetch(`/api/orders/${order.id}`)).json()
      const isPaid = status === 'succeeded'
      const isSeen = status === 'pending_confirmations'
      if (isOpened || ordering || !(isSeen || status === 'requires_payment' || (isPaid && isShown)))
        return
      show(order)
      if (isSeen) say('Payment seen. It is being confirmed.', 'settled')
      if (isPaid) say('Paid. Thank you!', 'settled')
      else setTimeout(resume, 1000, true)
    } catch {
      // Nothing is stored, or the shop does not respond.
    }
  }

  function show({ id, clientSecret }) {
    const { theme, locale } = document.documentElement.dataset
    // The only code for the checkout's script: with `data-buttons` it opens on a press of any button that has a client
    // secret.
    Object.assign(checkout.dataset, { clientSecret, theme })
    if (locale) checkout.dataset.locale = locale
    else delete checkout.dataset.locale
    banner.querySelector('[href^="/orders/"]').href = `/orders/${id}`
    const hosted = banner.querySelector('[target]')
    // The page returns to the order.
    const query = new URLSearchParams({ return_url: `${location.origin}/orders/${id}` })
    hosted.href = `${hosted.href.split(/[?#]/, 1)[0]}?${query}#${clientSecret}`
    document.querySelector('#failed').hidden = true
    banner.hidden = false
    say('Your order waits for its payment.')
  }

  const sentences = {
    'payment-intents:pending': 'Payment seen. It is being confirmed.',
    'payment-intents:success': 'Paid. Thank you!',
    'payment-intents:error': '',
    'payment-intents:close': '',
  }
  for (const [event, sentence] of Object.entries(sentences)) {
    checkout.addEventListener(event, ({ type, detail }) => {
      const line = document.createElement('li')
      line.dataset.callback = type
      line.textContent = `${type}(${detail ? JSON.stringify(detail) : ''})`
      document.querySelector('#callbacks').append(line)
      if (sentence) say(sentence, 'settled')
    })
  }

  function say(sentence, state) {
    banner.querySelector('p').textContent = sentence
    for (const way of banner.querySelectorAll('[data-way]')) way.hidden = state === 'settled'
  }
}

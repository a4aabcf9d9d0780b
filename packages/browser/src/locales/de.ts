import type { Messages } from './en.ts'

/** German; the payer is “Sie”. */
export const messages: Messages = {
  dialog: 'An {merchant} zahlen',
  called: 'Name auf dieser Seite: {name}',
  nameless: 'Zahlung',
  titled: '{title}. {text}',
  close: 'Schließen',
  test: 'Test',
  time_left: 'Noch {time}',
  five_minutes: 'Noch weniger als fünf Minuten Zeit zum Bezahlen.',
  one_minute: 'Noch weniger als eine Minute Zeit zum Bezahlen.',
  on: 'auf {network}',
  missing: 'Bereits erhalten: {received}. Das ist der Rest.',
  'asked.before':
    'Eine Wallet wurde schon gefragt und kann noch zahlen. Fragt sie noch, lehnen Sie dort ab.',
  'asked.signing':
    'Ihre Wallet zeigt vielleicht noch die Bitte um eine Signatur. Signieren Sie dort, oder lehnen Sie ab, bevor Sie anders zahlen.',
  near: 'Eine Zahlung über {amount} ist eingegangen. {merchant} muss sie einer Bestellung zuordnen. Kommt sie von Ihnen, zahlen Sie nicht noch einmal: {merchant} kann sie sehen.',
  'usdc.title': 'Was ist USDC?',
  'usdc.text':
    'USDC ist ein digitaler Dollar: Eine Firma, Circle, gibt ihn aus und hält Dollar bereit, um ihn einzulösen. Diese Zahlung läuft über das Netzwerk {network}. Wenn Sie keine haben, kaufen Sie welche in einer Wallet-App oder an einer Börse und senden Sie sie über dieses Netzwerk an Ihre Wallet.',
  'near.title': 'Eingegangen: {amount}',
  'near.text':
    'Diese Zahlung lässt sich nicht von selbst einer Bestellung zuordnen. Kommt sie von Ihnen?',
  'near.mine': 'Ja, sie kommt von mir',
  'near.other': 'Nein, weiter zur Zahlung',
  'near.mine.title': 'Zahlen Sie nicht noch einmal',
  'near.mine.text':
    '{amount} sind eingegangen. {merchant} sieht die Zahlung und muss sie Ihrer Bestellung zuordnen. Sie können dieses Fenster schließen.',

  rails: 'Zahlungsarten',
  wallets: 'Wallet',
  qr: 'QR-Code',
  browser_wallet: 'Browser-Wallet',
  direct: 'Geht direkt an {merchant}, an die Adresse {address}',
  'fee.none': 'Keine Netzwerkgebühr',
  'fee.about': 'Netzwerkgebühr: etwa {fee}',
  'no_wallet.title': 'Keine Wallet in diesem Browser',
  'no_wallet.text': 'Installieren Sie eine oder öffnen Sie diese Seite im Browser Ihrer Wallet.',
  'no_wallet.phone.title': 'Mit Ihrer Wallet-App zahlen',
  'no_wallet.phone.text': 'Die Zahlung öffnet sich im Browser der App.',
  'no_wallet.open_in': 'In {wallet} öffnen',
  'no_wallet.find': 'Wallet finden',
  pay_by_qr: 'Per QR-Code oder Börse zahlen',

  'qr.content': 'Inhalt des Codes',
  'qr.link': 'Handy',
  'qr.request': 'Zahlungsanfrage',
  'qr.address': 'Nur Adresse',
  'qr.link.alt': 'QR-Code, der diese Zahlung auf einem Handy öffnet',
  'qr.request.alt': 'QR-Code der Zahlungsanfrage',
  'qr.address.alt': 'QR-Code der Adresse',
  'qr.link.hint':
    'Scannen Sie ihn mit der Kamera Ihres Handys und zahlen Sie dort mit einer Wallet-App.',
  'qr.request.hint': 'Mit einer Wallet scannen. Der Betrag ist schon eingetragen.',
  'qr.address.hint': 'Scannen und den Betrag selbst eingeben.',
  'qr.open': 'In einer Wallet-App öffnen',
  'qr.exactly':
    'Senden Sie genau {amount} auf {network}. Zahlungen mit anderem Betrag, Token oder Netzwerk werden dieser Bestellung nicht zugeordnet.',
  tag: 'Preis {price} + {tag} als Kennung Ihrer Zahlung',
  amount: 'Betrag',
  address: 'Adresse',
  copy: 'Kopieren',
  copied: 'Kopiert',
  'amount.copy': 'Betrag kopieren',
  'address.copy': 'Adresse kopieren',
  'amount.copied': 'Betrag kopiert.',
  'address.copied': 'Adresse kopiert.',
  'tag.rest': 'Rest {price} + {tag} als Kennung Ihrer Zahlung',
  'qr.fee': 'Zieht Ihre Börse eine Gebühr ab, schlagen Sie sie auf: {amount} müssen ankommen.',
  'qr.exchange': 'Sie zahlen von einer Börse? Wählen Sie „{choice}“ und kopieren Sie den Betrag.',

  loading: 'Ihre Zahlung wird geladen',
  'connecting.title': '{wallet} verbinden',
  'connecting.text': 'Wählen Sie das Konto, von dem Sie zahlen möchten.',
  'switching.title': 'Zu {network} wechseln',
  'switching.text': 'Ihre Wallet fragt, ob sie das Netzwerk wechseln darf.',
  'checking.title': 'Ihr Konto wird geprüft',
  'checking.text': 'Das Guthaben auf {network} wird abgefragt.',
  'confirming.title': 'In {wallet} bestätigen',
  'confirming.text': 'Prüfen Sie dort die Zahlung und geben Sie sie frei.',
  'confirming.sign': 'Prüfen Sie dort den Betrag und signieren Sie.',
  quiet_wallet: 'Nichts zu sehen? Öffnen Sie Ihre Wallet: Vielleicht wartet die Anfrage dort.',
  blocked: 'Vielleicht hat der Browser auch ihr Fenster blockiert.',
  hardware: 'Hardware-Wallets brauchen etwas Zeit.',
  wake: '{wallet} öffnen',
  unsigned: 'Mit Netzwerkgebühr senden',
  steps: 'Schritt {step} von {of}',
  back: 'Zurück',
  'asked.title': 'Ihre Wallet wurde gefragt',
  'asked.text': 'Öffnen Sie sie und beantworten Sie dort die Anfrage.',
  'asked.once':
    'Sobald Sie zustimmen, erscheint die Zahlung hier. Zahlen Sie bis dahin nicht auf anderem Weg.',

  'sent.title': 'Zahlung gesendet',
  'sent.text': 'Wir warten, bis {network} sie aufnimmt. Das dauert ein paar Sekunden.',
  'sent.slow': 'Das dauert länger als sonst',
  'signed.title': 'Unterschrieben',
  'signed.text': 'Ihre Zahlung wird übergeben. Lassen Sie dieses Fenster offen.',
  'interrupted.text': 'Die Seite wurde verlassen, während Ihre Unterschrift übermittelt wurde.',
  'other_account.title': 'Das ist ein anderes Konto',
  'other_account.text': 'Unterschreiben Sie noch einmal mit {account}. Bezahlt wird nur einmal.',
  'relayed.title': 'Ihre Zahlung ist unterwegs',
  'relayed.text':
    'Wir warten, bis {network} sie aufnimmt. Zahlen Sie bis dahin nicht auf anderem Weg.',
  'relayed.until': 'Sie kann noch bis {time} ausgeführt werden.',
  look: 'Sehen Sie in Ihrer Wallet nach, bevor Sie noch einmal zahlen: Wurde die Zahlung gesendet, gilt sie weiterhin.',
  'duplicate.title': 'Schon gesendet',
  'duplicate.text':
    'Ihre Wallet hatte diese Zahlung schon gesendet. Wir warten, bis sie auf {network} erscheint.',
  'reorged.title': 'Noch einmal warten',
  'reorged.text':
    '{network} hat die Zahlung zurück in die Warteschlange gestellt. Zahlen Sie nicht doppelt: Meist kommt sie von selbst doch noch an.',
  insist: 'Es wurde sicher nicht gesendet',
  decline: 'Fragt Ihre Wallet noch, lehnen Sie dort ab.',
  'seen.title': 'Zahlung erkannt',
  'seen.text': 'Bestätigungen: {done} von {of}',
  'seen.note': 'Sie können dieses Fenster schließen. Die Zahlung läuft weiter.',
  paid: 'Bezahlt',
  'paid.text': '{amount} an {merchant}',
  'paid.again': 'Die Zahlung war schon erledigt.',
  'paid.over': 'Das sind {amount} mehr als verlangt. {merchant} kann die Differenz erstatten.',
  done: 'Fertig',
  transaction: 'Transaktion ansehen',
  receipt: 'Beleg',
  contact: '{merchant} kontaktieren',
  order: 'Bestellung {order}',

  'leaving.sent.title': 'Ihre Zahlung läuft weiter',
  'leaving.sent.text':
    'Sie braucht kein Fenster. {merchant} wird benachrichtigt, wenn sie angekommen ist.',
  'leaving.asked.title': 'Ihre Wallet wartet noch auf Sie',
  'leaving.asked.text': 'Wenn Sie dort zustimmen, läuft die Zahlung auch ohne dieses Fenster.',
  'leaving.signing.title': 'Noch nicht fertig',
  'leaving.signing.text':
    'Wenn Sie jetzt schließen, kommt die Zahlung vielleicht nicht zustande. Bleiben Sie, bis sie unterwegs ist.',
  'leaving.close': 'Trotzdem schließen',
  'leaving.stay': 'Hier bleiben',

  'expired.title': 'Diese Zahlung ist abgelaufen',
  'expired.text':
    'Haben Sie etwas gesendet, zahlen Sie nicht noch einmal: {merchant} kann es sehen. Sonst gehen Sie zurück zu {merchant} und beginnen Sie neu.',
  'ended.sent':
    'Eine Zahlung wurde gesendet, kam aber nicht vollständig und rechtzeitig an. Zahlen Sie nicht noch einmal: Fragen Sie bei {merchant} nach.',
  'ended.asked':
    'Ihre Wallet wurde nach der Zahlung gefragt. Fragt sie noch, lehnen Sie dort ab. Wurde gesendet, zahlen Sie nicht noch einmal: {merchant} kann es sehen.',
  'canceled.title': 'Diese Zahlung wurde storniert',
  'canceled.text':
    '{merchant} hat sie storniert. Haben Sie etwas gesendet, zahlen Sie nicht noch einmal: {merchant} kann es sehen.',
  'unknown_token.title': 'Diese Zahlung ist hier nicht möglich',
  'unknown_token.text':
    'Sie verlangt einen Token oder ein Netzwerk, das dieser Bezahlvorgang nicht kennt. Zahlen Sie sie auch nicht auf anderem Weg: Sagen Sie dem Shop Bescheid.',
  'not_found.title': 'Zahlung nicht gefunden',
  'not_found.text':
    'Der Link ist falsch oder zu alt. Haben Sie etwas gesendet, zahlen Sie nicht noch einmal: Der Shop kann es sehen. Sonst gehen Sie dorthin zurück, wo Sie den Link gefunden haben.',

  'offline.title': 'Sie sind offline',
  'unreachable.title': 'Der Zahlungsdienst ist nicht erreichbar',
  'rate_limited.title': 'Der Zahlungsdienst ist ausgelastet',
  'faulty.title': 'Der Zahlungsdienst hat ein Problem',
  trying: 'Neuer Versuch …',

  retry: 'Erneut versuchen',
  other_way: 'Anders zahlen',
  anyway: 'Trotzdem fortfahren',
  short: 'Auf {network} fehlen {amount}.',
  gas: 'Die Gebühr auf {network} wird in {symbol} bezahlt.',
  switch_to: 'Diese Zahlung läuft über {network}.',
  'user_rejected.title': 'Sie haben abgelehnt',
  'user_rejected.text': 'Es wurde nichts gesendet.',
  'wallet_unauthorized.title': 'Kein Konto freigegeben',
  'wallet_unauthorized.text': 'Geben Sie in Ihrer Wallet eines frei und versuchen Sie es erneut.',
  'method_unsupported.title': 'Diese Wallet kann hier nicht zahlen',
  'method_unsupported.text': 'Ihr fehlt eine nötige Funktion. Verwenden Sie eine andere Wallet.',
  'needs_fee.title': 'Hierfür fällt eine Netzwerkgebühr an',
  'needs_fee.text':
    'Es wurde nichts gezahlt. Versuchen Sie es erneut: Ihre Wallet sendet die Zahlung dann gegen eine kleine Gebühr.',
  'wallet_disconnected.title': 'Ihre Wallet ist nicht verbunden',
  'wallet_disconnected.text':
    'Öffnen Sie sie, prüfen Sie, ob sie online ist, und versuchen Sie es erneut.',
  'wrong_chain.title': 'Ihre Wallet ist in einem anderen Netzwerk',
  'wrong_chain.text': 'Wechseln Sie in Ihrer Wallet das Netzwerk und versuchen Sie es erneut.',
  'chain_add_failed.title': 'Das Netzwerk konnte nicht hinzugefügt werden',
  'chain_add_failed.text':
    'Fügen Sie das Netzwerk in Ihrer Wallet hinzu und versuchen Sie es erneut.',
  'request_pending.title': 'Ihre Wallet wartet schon auf Antwort',
  'request_pending.text': 'Öffnen Sie sie und beantworten Sie die offene Anfrage.',
  'other_tab.title': 'Sie zahlen gerade in einem anderen Tab',
  'other_tab.text':
    'Machen Sie dort weiter oder schließen Sie jenen Tab und versuchen Sie es erneut.',
  'insufficient_token.title': 'Nicht genug {token}',
  'insufficient_token.text': 'Laden Sie dieses Konto auf oder verwenden Sie ein anderes.',
  'insufficient_gas.title': 'Nicht genug für die Netzwerkgebühr',
  'insufficient_gas.text': 'Laden Sie etwas auf dieses Konto oder verwenden Sie ein anderes.',
  'address_blocked.title': 'Dieses Konto kann {token} nicht senden',
  'address_blocked.text': 'Verwenden Sie ein anderes Konto.',
  'recipient_blocked.title': 'Die Adresse des Shops ist gesperrt',
  'recipient_blocked.text':
    'Der Herausgeber von USDC hat sie gesperrt, niemand kann dorthin zahlen. Es wurde nichts gesendet. Sagen Sie {merchant} Bescheid.',
  'token_paused.title': '{token} ist in diesem Netzwerk pausiert',
  'token_paused.text': 'Zurzeit kann niemand senden. Versuchen Sie es später erneut.',
  'network_error.title': 'Das Netzwerk antwortet nicht',
  'network_error.text':
    'Es wurde nichts gesendet. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  'tx_reverted.title': 'Das Netzwerk hat die Zahlung abgelehnt',
  'tx_reverted.text':
    'Nur die Gebühr wurde bezahlt. Versuchen Sie es erneut oder verwenden Sie ein anderes Konto.',
  'tx_would_revert.title': 'Das Netzwerk würde diese Zahlung ablehnen',
  'tx_would_revert.text':
    'Es wurde nichts gesendet. Verwenden Sie ein anderes Konto oder zahlen Sie anders.',
  'tx_replaced.title': 'Ihre Wallet hat die Zahlung ersetzt',
  'tx_replaced.text':
    'Haben Sie sie beschleunigt, kommt sie trotzdem an und erscheint hier. Haben Sie sie abgebrochen, wurde nichts bezahlt.',
  'tx_dropped.title': 'Noch nicht zu sehen',
  'tx_dropped.text':
    'Ihre Wallet meldet, dass gesendet wurde, aber das Netzwerk zeigt es noch nicht. Sehen Sie in Ihrer Wallet nach und zahlen Sie nicht noch einmal: Die Zahlung kann noch ankommen.',
  'internal_error.title': 'Das hat nicht geklappt',
  'internal_error.text':
    'Die Wallet hat einen Fehler gemeldet. Versuchen Sie es erneut oder zahlen Sie anders.',

  'no_link.title': 'Öffnen Sie Ihren Zahlungslink noch einmal',
  'no_link.text':
    'Diese Seite bewahrt den Link nicht auf. Was Sie schon gesendet haben, zählt trotzdem.',
  'used_link.title': 'Dieser Link wurde schon benutzt',
  'used_link.text':
    'Er öffnet sich einmal, innerhalb weniger Minuten. Gehen Sie dorthin zurück, wo Sie ihn gefunden haben: Dort gibt es einen neuen. Was Sie schon gesendet haben, zählt trotzdem.',
  'page.note': 'Sie können diese Seite schließen. Die Zahlung läuft weiter.',
  'paid.leave': 'Sie können diese Seite schließen.',
  'return.to': 'Zurück zu {merchant}',
  'return.soon': 'Sie werden gleich zurückgeleitet.',
}

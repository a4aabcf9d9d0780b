export const usage = `Shows the events of your payments as they happen, lists them, sends them again, or posts a made-up event; looks payments up, exports them, and makes payment links.

Usage
  payment-intents listen [--forward-to <url>] [options]
  payment-intents trigger <type> --forward-to <url> [--override <field>=<value>] [--add <field>=<text>]
  payment-intents find <id | order id | transaction | address | amount | reference> [options]
  payment-intents export --from <time> [--to <time>] [--transfers | --refunds] > payments.csv
  payment-intents events list [--type <type>] [--payment <id>] [--limit <n>] [--json]
  payment-intents events resend <event> [--endpoint <id>]
  payment-intents link create --amount <amount> --description <text> [options]
  payment-intents link list [--active] [--json]

All commands
      --base-url <url>    the address of the service, instead of PAYMENT_INTENTS_BASE_URL
      --env <file>        the file to read unset variables from, like .env
  -h, --help
  -v, --version

listen
  -f, --forward-to <url>  your webhook handler; without it, events are only shown
  -e, --events <types>    only these, separated by commas
      --since <id>        begin after this event, evt_…, instead of now
      --live              take a live API key, too
      --format <format>   text, or json: one object a line
      --print-secret      print the secret that events are signed with, and nothing else

trigger
      --override <field>=<value>  a field of the event's object, like amount_units=5000000; repeatable
      --add <field>=<text>  a new field of the object, like metadata.order_id=1042; repeatable

find
      --key <key>         the metadata key of the order id; order_id by default
      --json              one object: searched, payment_intents, unmatched_transfers, refunds, has_more

export
      --from <time>       the first of the period: 2026-01-31 (UTC), or 2026-01-31T00:00:00+01:00
      --to <time>         the end of the period, itself not included; now by default
      --transfers         transfers, also unmatched ones, instead of payments
      --refunds           refunds instead of payments

events
      --type <type>       list: only this type
      --payment <id>      list: only events of this payment intent, pi_…
      --limit <n>         list: the number of events, the newest first; 20 by default
      --endpoint <id>     resend: only to this webhook endpoint, we_…; to all enabled endpoints by default
      --json              list: one object a line

link
      --amount <amount>   create: in USDC, like 40.00; open lets the payer name it
      --description <text>  create: the description of the payment; payers see it
      --chains <chains>   create: only these, separated by commas; all with a wallet by default
      --max-payments <n>  create: the maximum number of payments; unlimited by default
      --expires-at <time>  create: 2026-01-31 (UTC), or 2026-01-31T00:00:00+01:00; never by default
      --picture <file>    create: a PNG, JPEG or WebP of at most 100 kB; payers see it
      --active            list: only active links
      --json              one object a line, instead of the URL or the text for a person

Environment (of the shell, or of the file that --env names; no key is kept anywhere)
  PAYMENT_INTENTS_API_KEY   your API key, from the dashboard: a test key of yours, sk_test_…; listen alone refuses a live key without --live
  PAYMENT_INTENTS_BASE_URL  the address of the service, like http://localhost:4242
  PAYMENT_INTENTS_WEBHOOK_SECRET  trigger: the secret of your handler; the secret of listen by default
  NO_COLOR                  anything: no colours

On a terminal, r sends the last event again, and q quits.
Exit codes: 0; 1 if the service refuses or fails; 2 if the command line is wrong; 3 if find finds nothing.`

export const usage = `Shows the events of your payments as they happen, and posts them to your webhook handler; or posts one that is
made up.

Usage
  payment-intents listen [--forward-to <url>] [options]
  payment-intents trigger <type> --forward-to <url> [--object <json>]

Options
  -f, --forward-to <url>  your webhook handler; without it, events are only shown
  -e, --events <types>    only these, with commas in between
      --since <id>        begin after this event, evt_…, instead of now
      --base-url <url>    where the service answers, instead of PAYMENT_INTENTS_BASE_URL
      --live              take a live API key, too
      --format <format>   text, or json: one object a line
      --object <json>     trigger: fields of the event's object, like '{ "metadata": { "order_id": "1042" } }'
      --print-secret      print the secret that events are signed with, and nothing else
  -h, --help
  -v, --version

Environment
  PAYMENT_INTENTS_API_KEY   a test key of yours, sk_test_…
  PAYMENT_INTENTS_BASE_URL  where the service answers, like http://localhost:4242
  PAYMENT_INTENTS_WEBHOOK_SECRET  trigger: what your handler verifies with; the secret of listen by default
  NO_COLOR                  anything: no colours

On a terminal, r sends the last event again, and q quits.`

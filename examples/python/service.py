"""The shop's requests to the service, and its webhooks: see `/openapi.json` there."""

import base64
import hashlib
import hmac
import json
import os
import time
from urllib.request import Request, urlopen

from orders import keep_attempt


def start_payment(order, attempt=None):
    """One payment intent per attempt at an order, however often the buyer presses the button.

    Returns the secret that the page opens the checkout with.
    """
    attempt = attempt or order["attempt"]
    body = {"amount_units": order["amount_units"], "metadata": {"order_id": order["id"]}}
    request = Request(
        f"{os.environ['PAYMENT_INTENTS_BASE_URL']}/v1/payment_intents",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['PAYMENT_INTENTS_API_KEY']}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"{order['id']}-{attempt}",
        },
    )
    with urlopen(request, timeout=10) as response:
        if response.headers["Payment-Intent-Status"] in ("expired", "canceled"):
            return start_payment(order, attempt + 1)
        intent = json.load(response)
    # Save the intent before the page gets the secret: a payment is matched to its order by the id of the intent.
    keep_attempt(order["id"], attempt, intent["id"])
    return intent["client_secret"]


def verify(headers, body):
    """Whether the service has sent these bytes within five minutes, by https://www.standardwebhooks.com."""
    webhook_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    signatures = headers["webhook-signature"]
    if not (webhook_id and timestamp and timestamp.isdecimal() and signatures):
        return False
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(os.environ["PAYMENT_INTENTS_WEBHOOK_SECRET"].removeprefix("whsec_"))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    # A signature per secret: there are two secrets during a rotation.
    return any(hmac.compare_digest(expected, given.encode()) for given in signatures.split())

import json
import os
import re
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from orders import create_order, create_table, find_order, mark_paid
from service import start_payment, verify

for line in Path(".env").read_text().splitlines():
    name, is_setting, value = line.partition("=")
    if is_setting and not name.startswith("#"):
        os.environ.setdefault(name, value)

prices = {"mug": "12.00", "notebook": "7.50"}

# The page gets the address of the service, and nothing else of `.env`.
page = Path("shop.html").read_text().replace("{{service}}", os.environ["PAYMENT_INTENTS_BASE_URL"])


def units(price):
    return int(Decimal(price) * 1_000_000)


def describe(order):
    item = order["item"]
    return {"id": order["id"], "item": item, "price": prices[item], "paid": bool(order["paid_at"])}


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        order = re.fullmatch(r"/api/orders/(\w+)", self.path)
        if self.path == "/" or re.fullmatch(r"/orders/\w+", self.path):
            self.respond(200, page)
        elif self.path == "/api/goods":
            self.respond(200, [{"item": item, "price": price} for item, price in prices.items()])
        elif order and (found := find_order(order[1])):
            self.respond(200, describe(found))
        else:
            self.respond(404)

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers["Content-Length"] or 0), 1_000_000))
        payment = re.fullmatch(r"/api/orders/(\w+)/payment", self.path)
        if self.path == "/webhooks":
            self.take_event(body)
        elif self.path == "/api/orders":
            item = json.loads(body)["item"]
            if item in prices:
                self.respond(201, describe(create_order(item, units(prices[item]))))
            else:
                self.respond(400)
        elif payment and (order := find_order(payment[1])):
            if order["paid_at"]:
                self.respond(409)
            else:
                self.respond(200, {"client_secret": start_payment(order)})
        else:
            self.respond(404)

    def take_event(self, body):
        if not verify(self.headers, body):
            return self.respond(400)
        event = json.loads(body)
        if event["type"] == "payment_intent.succeeded":
            order = mark_paid(event["data"]["object"])
            # Ship from the order's row; this line only shows that it happens once.
            if order:
                print(f"Ship the {order['item']} of {order['id']}", flush=True)
        self.respond(200)

    def respond(self, status, content=""):
        is_page = isinstance(content, str)
        body = (content if is_page else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if is_page else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, *_):
        pass


create_table()
port = int(os.environ.get("PORT", 3000))
print(f"The shop is open at http://localhost:{port}", flush=True)
ThreadingHTTPServer(("", port), Shop).serve_forever()

"""Checks a receipt (standard input) against a chain: a second implementation, which shares no code with the first.

It knows two ways in which a payer names a payment intent: the reference behind a call of the token's `transfer`, and
the nonce of an EIP-3009 authorization. It prints `proven`, `paid`, `underpaid` or `refuted`, and then for each refund
`proven`, `stated` or `pending`.
"""

import json
import sys
import urllib.request
from datetime import datetime

MASK = (1 << 64) - 1
ROTATIONS = [
    [0, 36, 3, 41, 18],
    [1, 44, 10, 45, 2],
    [62, 6, 43, 15, 61],
    [28, 55, 25, 21, 56],
    [27, 20, 39, 8, 14],
]


def round_constants():
    register = 1
    for _ in range(24):
        constant = 0
        for power in range(7):
            if register & 1:
                constant |= 1 << ((1 << power) - 1)
            register = (register << 1) ^ (0x171 if register >> 7 else 0)
        yield constant


def rotate(lane, by):
    return ((lane << by) | (lane >> (64 - by))) & MASK if by else lane


def permute(lanes):
    for constant in round_constants():
        columns = [lanes[x][0] ^ lanes[x][1] ^ lanes[x][2] ^ lanes[x][3] ^ lanes[x][4] for x in range(5)]
        theta = [columns[(x - 1) % 5] ^ rotate(columns[(x + 1) % 5], 1) for x in range(5)]
        lanes = [[lanes[x][y] ^ theta[x] for y in range(5)] for x in range(5)]
        moved = [[0] * 5 for _ in range(5)]
        for x in range(5):
            for y in range(5):
                moved[y][(2 * x + 3 * y) % 5] = rotate(lanes[x][y], ROTATIONS[x][y])
        lanes = [
            [moved[x][y] ^ (~moved[(x + 1) % 5][y] & MASK & moved[(x + 2) % 5][y]) for y in range(5)]
            for x in range(5)
        ]
        lanes[0][0] ^= constant
    return lanes


def keccak256(data):
    """Keccak with the padding of Ethereum, which SHA3-256 of FIPS 202 has changed."""
    rate = 136
    padded = bytearray(data) + b"\x01"
    padded += b"\x00" * (-len(padded) % rate)
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), rate):
        for index in range(rate // 8):
            word = int.from_bytes(padded[start + 8 * index : start + 8 * index + 8], "little")
            lanes[index % 5][index // 5] ^= word
        lanes = permute(lanes)
    return b"".join(lanes[index % 5][index // 5].to_bytes(8, "little") for index in range(4))


def word(value):
    number = int(value, 16) if isinstance(value, str) else value
    return number.to_bytes(32, "big")


def reference_of(receipt):
    type_hash = keccak256(
        b"PaymentIntentRef(string id,uint256 chainId,address token,address to,uint256 amount,uint256 expiresAt,bytes32 salt)"
    )
    expires_at = datetime.fromisoformat(receipt["expires_at"].replace("Z", "+00:00"))
    return "0x" + keccak256(
        type_hash
        + keccak256(receipt["payment_intent"].encode())
        + word(receipt["chain_id"])
        + word(receipt["token_address"])
        + word(receipt["expected_wallet"])
        + word(receipt["amount_units"])
        + word(int(expires_at.timestamp()))
        + word(receipt["salt"])
    ).hex()


def refund_reference_of(receipt, refund):
    type_hash = keccak256(
        b"RefundRef(string id,string source,uint256 chainId,address token,uint256 amount,bytes32 salt)"
    )
    return "0x" + keccak256(
        type_hash
        + keccak256(refund["id"].encode())
        + keccak256(receipt["payment_intent"].encode())
        + word(receipt["chain_id"])
        + word(receipt["token_address"])
        + word(refund["amount_units"])
        + word(refund["salt"])
    ).hex()


def call_rpc(rpc_url, method, *params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(rpc_url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response).get("result")


TRANSFER = "0x" + keccak256(b"Transfer(address,address,uint256)").hex()
AUTHORIZED = "0x" + keccak256(b"AuthorizationUsed(address,bytes32)").hex()


def named_by(receipt, transaction, log, before):
    """The reference that the payer's signature names, or None."""
    payer, token = log["topics"][1], log["address"]
    if before and before["address"] == token and before["topics"][:2] == [AUTHORIZED, payer]:
        return before["topics"][2]
    call = keccak256(b"transfer(address,uint256)")[:4] + word(receipt["expected_wallet"]) + word(log["data"])
    sent_by_payer = word(transaction["from"]) == word(payer)
    rest = transaction["input"].removeprefix("0x" + call.hex())
    is_call = sent_by_payer and transaction["to"] == token and rest != transaction["input"]
    return "0x" + rest[:64] if is_call and len(rest) >= 64 else None


def transfers_of(receipt, mined):
    """Each transfer of the token in a transaction, with its nonce if an authorization moved it."""
    logs = mined["logs"]
    for index, log in enumerate(logs):
        if word(log["address"]) != word(receipt["token_address"]) or log["topics"][0] != TRANSFER:
            continue
        before = logs[index - 1] if index else None
        is_authorized = before and before["topics"][:2] == [AUTHORIZED, log["topics"][1]]
        yield {
            "place": (mined["transactionHash"], log["logIndex"]),
            "terms": (*(word(topic) for topic in log["topics"][1:]), int(log["data"], 16)),
            "nonce": before["topics"][2] if is_authorized else None,
        }


def refund_verdict(receipt, refund, taken, rpc_url):
    """The verdict on a refund. A transfer in `taken` pays another refund."""
    if refund_reference_of(receipt, refund) != refund["refund_reference"]:
        return "refuted"
    mined = refund["tx_hash"] and call_rpc(rpc_url, "eth_getTransactionReceipt", refund["tx_hash"])
    if not mined or mined["status"] != "0x1":
        return "pending" if refund["status"] == "pending" else "refuted"
    terms = (word(refund["from"]), word(refund["destination"]), refund["amount_units"])
    for transfer in transfers_of(receipt, mined):
        if transfer["terms"] != terms or transfer["place"] in taken:
            continue
        if transfer["nonce"] in (None, refund["refund_reference"]):
            taken.add(transfer["place"])
            return "proven" if transfer["nonce"] else "stated"
    return "refuted"


def verdicts(receipt, rpc_url):
    taken = set()
    refunds = [refund_verdict(receipt, refund, taken, rpc_url) for refund in receipt.get("refunds", [])]
    payment = verdict(receipt, rpc_url)
    return ["refuted"] if "refuted" in (payment, *refunds) else [payment, *refunds]


def verdict(receipt, rpc_url):
    if reference_of(receipt) != receipt["payment_reference"]:
        return "refuted"
    total, named = 0, True
    for transfer in receipt["transfers"]:
        mined = call_rpc(rpc_url, "eth_getTransactionReceipt", transfer["tx_hash"])
        if not mined or mined["status"] != "0x1":
            return "refuted"
        logs = mined["logs"]
        index = next((n for n, log in enumerate(logs) if int(log["logIndex"], 16) == transfer["log_index"]), None)
        log = logs[index] if index is not None else None
        if (
            log is None
            or log["topics"][0] != TRANSFER
            or word(log["address"]) != word(receipt["token_address"])
            or word(log["topics"][2]) != word(receipt["expected_wallet"])
            or log["topics"][1] == log["topics"][2]
            or int(log["data"], 16) != transfer["amount_units"]
        ):
            return "refuted"
        transaction = call_rpc(rpc_url, "eth_getTransactionByHash", transfer["tx_hash"])
        total += transfer["amount_units"]
        name = named_by(receipt, transaction, log, logs[index - 1] if index else None)
        if name not in (None, receipt["payment_reference"]):
            return "refuted"
        named = named and name is not None
    if total < receipt["amount_units"]:
        return "underpaid"
    return "proven" if named else "paid"


print(" ".join(verdicts(json.load(sys.stdin), sys.argv[1])))

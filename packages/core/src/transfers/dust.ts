/** An unmatched transfer below a cent is dust: what an attacker sends by the thousand. */
export const dustUnits = 10_000n

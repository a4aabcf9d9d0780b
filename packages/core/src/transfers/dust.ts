/** An unmatched transfer below a cent is dust: attackers send thousands of them. */
export const dustUnits = 10_000n

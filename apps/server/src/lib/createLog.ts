import { type DestinationStream, type Logger, pino } from 'pino'

/** The log of a process: one JSON object a line, whose level is a word. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const formatters = { level: (label: string) => ({ level: label }) }
  return destination ? pino({ level, formatters }, destination) : pino({ level, formatters })
}

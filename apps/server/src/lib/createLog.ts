import { type DestinationStream, type Logger, pino } from 'pino'

/** Creates the log of a process: one JSON object per line, with the level as a word. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const formatters = { level: (label: string) => ({ level: label }) }
  return destination ? pino({ level, formatters }, destination) : pino({ level, formatters })
}

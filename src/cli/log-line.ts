import { styleText } from 'node:util'
import { messageOf } from '../base/message-of.ts'

/** How much a line of the log matters. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

const COLORS = { error: 'red', warn: 'yellow', info: 'dim', debug: 'dim' } as const
const WORDS: Readonly<Record<LogLevel, string>> = { error: 'error', warn: 'warning', info: 'info', debug: 'debug' }
/** Longer values say more than a line can hold; `--log-format json` has all of them. */
const MAX_VALUE = 300

/** One line for people: level, message, why, and the facts that are plain values. Coloured on a terminal. */
export function logLine(level: LogLevel, message: string, { error, ...facts }: Readonly<Record<string, unknown>>): string {
  const why = error === undefined ? '' : `: ${cut(messageOf(error))}`
  const rest = Object.entries(facts).flatMap(([name, value]) => (isPlain(value) ? [`${name}=${cut(String(value))}`] : []))
  const line = `${message}${why}${rest.length === 0 ? '' : ` (${rest.join(', ')})`}`.replaceAll(/\s*\n\s*/g, ' ')
  return `${styleText(COLORS[level], `${WORDS[level]}:`, { stream: process.stderr })} ${styleText('dim', line, { stream: process.stderr })}`
}

const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
const cut = (text: string) => (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text)

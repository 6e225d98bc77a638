import type { Logger } from '../../base/logger.ts'
import { isObject, type Json } from '../../machinery/object.ts'
import type { Link, LinkService } from '../../threads/link.ts'
import { MAIN_SERVICES } from './thread-protocol.ts'

type Level = 'error' | 'warn' | 'info' | 'debug'
type Facts = Readonly<Record<string, unknown>>

interface LogLine {
  readonly level: Level
  readonly message: string
  readonly facts: Facts
}

/** A logger whose lines are written by the thread at the other end of the link. */
export function threadLogger(link: Link, added: Facts = {}): Logger {
  const at =
    (level: Level) =>
    (message: string, facts: Facts = {}) => {
      const line: LogLine = { level, message, facts: portable({ ...added, ...facts }) }
      link.open(MAIN_SERVICES.log, line, { ended: true })
    }
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    with: (facts) => threadLogger(link, { ...added, ...facts }),
  }
}

/** Writes the lines of another thread. */
export const logService =
  (log: Logger): LinkService =>
  (requested, exchange) => {
    const { level, message, facts } = requested as unknown as LogLine
    log[level](message, Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, errorIn(value) ?? value])))
    exchange.end()
  }

/** Facts as JSON can hold them. */
const portable = (facts: Facts): Facts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, value instanceof Error ? { [ERROR]: written(value) } : plain(value)]),
  )

const ERROR = 'bowsprit error'
const written = ({ name, message, stack }: Error) => ({ name, message, stack })

function plain(value: unknown): Json {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null') as Json
  } catch {
    return String(value)
  }
}

function errorIn(value: unknown): Error | undefined {
  if (!isObject(value) || !(ERROR in value)) return undefined
  return Object.assign(new Error(), value[ERROR])
}

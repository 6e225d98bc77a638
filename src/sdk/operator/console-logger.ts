import { systemClock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'

type Level = 'error' | 'warn' | 'info' | 'debug'
type Facts = Readonly<Record<string, unknown>>
const LEVELS: readonly Level[] = ['error', 'warn', 'info', 'debug']

/**
 * A logger that writes lines of JSON to standard error: `{"ts":…,"level":…,"msg":…}` and the facts.
 *
 * ```ts
 * const log = consoleLogger('debug')
 * log.info('hello', { to: 'you' })
 * ```
 */
export function consoleLogger(least: Level = 'info', write: (line: string) => void = (line) => void process.stderr.write(line)): Logger {
  const make = (facts: Facts): Logger => {
    const say =
      (level: Level) =>
      (message: string, more: Facts = {}) => {
        if (LEVELS.indexOf(level) > LEVELS.indexOf(least)) return
        const ts = new Date(systemClock.now()).toISOString()
        write(`${JSON.stringify({ ts, level, msg: message, ...plain({ ...facts, ...more }) })}\n`)
      }
    return { error: say('error'), warn: say('warn'), info: say('info'), debug: say('debug'), with: (more) => make({ ...facts, ...more }) }
  }
  return make({})
}

/** Errors are logged by their message, with their cause. */
function plain(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, value instanceof Error ? textOf(value) : value]))
}

function textOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${textOf(error.cause)}` : error.message
}

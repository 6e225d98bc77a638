import type { Logger } from '../base/logger.ts'
import { type LogLevel, logLine } from './log-line.ts'

type Facts = Readonly<Record<string, unknown>>
type Write = (level: LogLevel, message: string, facts: Facts) => void

/** Lines for people, or one JSON object a line with all facts and stacks. */
export type LogFormat = 'text' | 'json'

const RANK: Readonly<Record<LogLevel, number>> = { error: 3, warn: 2, info: 1, debug: 0 }

/** Logs to standard error, from `least` on. */
export function stderrLogger(least: LogLevel, format: LogFormat = 'text'): Logger {
  const put = format === 'json' ? jsonWriter() : writeText
  const write: Write = (level, message, facts) => {
    if (RANK[level] >= RANK[least]) put(level, message, facts)
  }
  const bound = (more: Facts): Logger => ({
    error: (message, facts) => write('error', message, { ...more, ...facts }),
    warn: (message, facts) => write('warn', message, { ...more, ...facts }),
    info: (message, facts) => write('info', message, { ...more, ...facts }),
    debug: (message, facts) => write('debug', message, { ...more, ...facts }),
    with: (facts) => bound({ ...more, ...facts }),
  })
  return bound({})
}

const writeText: Write = (level, message, facts) => void process.stderr.write(`${logLine(level, message, facts)}\n`)

/** What writes JSON is loaded with the first line: a quiet start does not wait for it. */
function jsonWriter(): Write {
  let writing: Promise<Write> | undefined
  return (level, message, facts) => {
    writing ??= pinoWriter()
    writing.then((put) => put(level, message, facts)).catch(() => console.error(message))
  }
}

async function pinoWriter(): Promise<Write> {
  const { default: pino } = await import('pino')
  // By convention errors are in the field `error`; without a serializer they would be printed as {}.
  const log = pino(
    { level: 'debug', base: null, serializers: { error: pino.stdSerializers.err } },
    pino.destination({ dest: 2, sync: true }),
  )
  return (level, message, facts) => log[level](facts, message)
}

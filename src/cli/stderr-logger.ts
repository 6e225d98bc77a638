import type { Logger } from '../base/logger.ts'

type Level = 'error' | 'warn' | 'info' | 'debug'
type Facts = Readonly<Record<string, unknown>>
type Write = (level: Level, message: string, facts: Facts) => void

const RANK: Readonly<Record<Level, number>> = { error: 3, warn: 2, info: 1, debug: 0 }

/**
 * Lines of JSON on standard error, from level `least` on. The library is loaded with the first line: a quiet start does not wait for it.
 */
export function stderrLogger(least: Level): Logger {
  let writing: Promise<Write> | undefined
  const write: Write = (level, message, facts) => {
    if (RANK[level] < RANK[least]) return
    writing ??= pinoWriter()
    writing.then((put) => put(level, message, facts)).catch(() => console.error(message))
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

async function pinoWriter(): Promise<Write> {
  const { default: pino } = await import('pino')
  // By convention errors are in the field `error`; without a serializer they would be printed as {}.
  const log = pino(
    { level: 'debug', base: null, serializers: { error: pino.stdSerializers.err } },
    pino.destination({ dest: 2, sync: true }),
  )
  return (level, message, facts) => log[level](facts, message)
}

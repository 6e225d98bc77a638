import { writeSync } from 'node:fs'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'

type Severity = 'I' | 'W' | 'E' | 'F'
type Facts = Readonly<Record<string, unknown>>

/** A line in the format of Kubernetes' own programs: severity, date, time, process, position, text. */
export function klogLine(
  severity: Severity,
  { position, text, atMs }: { readonly position: string; readonly text: string; readonly atMs: number },
): string {
  const at = new Date(atMs)
  const two = (n: number) => String(n).padStart(2, '0')
  const day = `${two(at.getMonth() + 1)}${two(at.getDate())}`
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}000`
  return `${severity}${day} ${time} ${String(process.pid).padStart(7)} ${position}] ${text}`
}

/** A message and its fields in klog's structured form. A value with several lines is enclosed in `<` and `>`. */
export function klogText(message: string, facts: Facts = {}): string {
  return [
    JSON.stringify(message),
    ...Object.entries(facts).map(([name, value]) => `${name === 'error' ? 'err' : name}=${valueText(value)}`),
  ].join(' ')
}

function valueText(value: unknown): string {
  const text = value instanceof Error ? value.message : value
  if (typeof text !== 'string') return JSON.stringify(text) ?? 'null'
  return text.includes('\n') ? `<\n\t${text.replaceAll('\n', '\n\t')}\n >` : JSON.stringify(text)
}

/** Writes one line to standard error, at once. */
export function writeKlog(severity: Severity, position: string, text: string, clock: Clock = systemClock): void {
  try {
    writeSync(2, `${klogLine(severity, { position, text, atMs: clock.now() })}\n`)
  } catch {
    // A closed standard error must not end the server.
  }
}

/** A logger in klog's form. `verbosity` is that of `--v`: from 2 on, information is logged too. */
export function klogLogger(verbosity: number): Logger {
  const bound = (more: Facts): Logger => {
    const write = (severity: Severity) => (message: string, facts?: Facts) =>
      writeKlog(severity, 'bowsprit.go:1', klogText(message, { ...more, ...facts }))
    return {
      error: write('E'),
      warn: write('W'),
      info: verbosity >= 2 ? write('I') : () => {},
      debug: verbosity >= 4 ? write('I') : () => {},
      with: (facts) => bound({ ...more, ...facts }),
    }
  }
  return bound({})
}

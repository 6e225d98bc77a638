import { constants } from 'node:os'

const NUMBERS: Readonly<Record<string, number>> = constants.signals
/** All of them, by name. */
export const SIGNALS: readonly string[] = Object.keys(NUMBERS)
/** Signals whose default action is to ignore. */
const HARMLESS = new Set(['SIGCHLD', 'SIGURG', 'SIGWINCH', 'SIGCONT', 'SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU'])

/** `SIGTERM` of `15`, `TERM`, `sigterm` and `SIGTERM`; the name in capitals if it is unknown. */
export function signalName(text: string): string {
  const upper = text.toUpperCase()
  const byNumber = /^\d+$/.test(upper) ? Object.keys(NUMBERS).find((name) => NUMBERS[name] === Number(upper)) : undefined
  return byNumber ?? (upper.startsWith('SIG') ? upper : `SIG${upper}`)
}

/** The exit code of a process that a signal has ended. */
export function signalExitCode(name: string): number {
  const realTime = /^SIGRTM(IN|AX)(?:([+-])(\d+))?$/.exec(name)
  if (realTime === null) return 128 + (NUMBERS[name] ?? 15)
  const [, end, sign, by = '0'] = realTime
  return 128 + (end === 'IN' ? 34 : 64) + (sign === '-' ? -1 : 1) * Number(by)
}

/** Whether Linux knows a signal of that name (`SIGTERM`). */
export const isSignal = (name: string): boolean => Object.hasOwn(NUMBERS, name)

/** Whether a process without a handler ends. */
export const isDeadly = (name: string): boolean => !HARMLESS.has(name)

import { writeSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'

type Level = 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** Lines as etcd writes them: JSON on standard error. Programs that start etcd wait for some of them. */
export type EtcdLog = (level: Level, caller: string, msg: string, facts?: Readonly<Record<string, unknown>>) => void

const RANK: Readonly<Record<string, number>> = { debug: 0, info: 1, warn: 2, error: 3, panic: 4, fatal: 5 }

/** Writes the lines from `least` on. */
export function etcdLog(least: string, clock: Clock): EtcdLog {
  const from = RANK[least] ?? 1
  return (level, caller, msg, facts = {}) => {
    if ((RANK[level] ?? 0) < from) return
    const ts = new Date(clock.now()).toISOString().replace('Z', '000Z')
    try {
      writeSync(2, `${JSON.stringify({ level, ts, caller, msg, ...facts })}\n`)
    } catch {
      // Standard error is closed: that is no reason to end.
    }
  }
}

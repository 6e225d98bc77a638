/** CPU time of a process by thread, and what rates follow from it on more cores. */
import { readdirSync, readFileSync } from 'node:fs'

/** The counters of `/proc` go in hundredths of a second. */
const TICK_US = 10_000

/** What the kernel calls a thread → a name for all threads of that kind. The others keep their own. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/MainThread|^node$/, 'server'],
  [/V8Worker|DelayedTask|^v8:/, 'V8 (garbage, compiler)'],
  [/libuv/, 'libuv (files, cryptography)'],
]

/** User and system time of the threads of a process, in microseconds, by name. Threads that have ended are not counted. */
export function threadTimes(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(statOf(pid, task)) ?? []
    if (rest === '') continue
    const fields = rest.split(' ')
    const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? name
    times.set(kind, (times.get(kind) ?? 0) + (Number(fields[11]) + Number(fields[12])) * TICK_US)
  }
  return times
}

/** A thread may end while the others are read. */
function statOf(pid: number, task: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8')
  } catch {
    return ''
  }
}

/** What was used between two measurements, the most first; threads that used next to nothing are left out. */
export function timesBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const used = [...after].map(([name, us]) => [name, us - (before.get(name) ?? 0)] as const)
  return new Map(used.filter(([, us]) => us > 0).sort((a, b) => b[1] - a[1]))
}

/** These have as many threads as they like: their work can be divided. */
const DIVISIBLE = /^V8|^libuv/

/**
 * The highest rate (works a second) on so many cores, from the CPU time of one work by thread: the cores together cannot do more than their
 * number allows, and no thread can do more than one core does (the asymptotic bounds of a closed queueing network).
 */
export function rateBound(usPerWork: ReadonlyMap<string, number>, cores: number): { readonly perSecond: number; readonly by: string } {
  const all = [...usPerWork.values()].reduce((sum, us) => sum + us, 0)
  const [name = '', us = 0] = [...usPerWork].filter(([thread]) => !DIVISIBLE.test(thread)).sort((a, b) => b[1] - a[1])[0] ?? []
  const [byCores, byThread] = [(cores * 1e6) / all, 1e6 / us]
  return byCores < byThread ? { perSecond: byCores, by: 'all cores' } : { perSecond: byThread, by: name }
}

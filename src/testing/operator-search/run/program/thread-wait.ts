/** System calls in which threads wait, by their numbers (`asm/unistd.h`). */
interface WaitCalls {
  /** Those with a time-out in milliseconds, and which argument that is. The event loops of Go, Node and Python wait in them. */
  readonly timed: Readonly<Record<number, number>>
  /** Those whose time-out is in the memory of the program. */
  readonly hidden: readonly number[]
  readonly futex: number
}

const WAIT_CALLS: Readonly<Record<string, WaitCalls>> = {
  // epoll_wait, epoll_pwait, poll; nanosleep, clock_nanosleep, select, pselect6, ppoll, epoll_pwait2
  x64: { timed: { 232: 3, 281: 3, 7: 2 }, hidden: [35, 230, 23, 270, 271, 441], futex: 202 },
  // epoll_pwait; nanosleep, clock_nanosleep, pselect6, ppoll, epoll_pwait2
  arm64: { timed: { 22: 3 }, hidden: [101, 115, 72, 73, 441], futex: 98 },
}
/** Which argument of a futex says where its time-out is; 0: it has none. */
const FUTEX_TIMEOUT = 3

/**
 * What a thread does. `loop`: it waits for events, at most for so long (in milliseconds; infinite: until there are some). `supervisor`: it
 * waits for others for a time that does not show. `sleeps`: it waits for a time that does not show, and for no event.
 */
export type ThreadWait =
  | { readonly kind: 'computes' | 'supervisor' | 'sleeps' | 'other' }
  | { readonly kind: 'loop'; readonly timeoutMs: number }

/** Reads `/proc/PID/task/TID/syscall`: `running`, or `281 0xe 0x7ffeb14f30c0 0x400 0x1388 …`: the number of the call and its arguments. */
export function threadWait(line: string, arch: string = process.arch): ThreadWait {
  const [number = '', ...args] = line.trim().split(' ')
  const calls = WAIT_CALLS[arch]
  // -1: it waits for memory.
  if (number === 'running' || number === '-1') return { kind: 'computes' }
  if (calls === undefined || number === '') return { kind: 'sleeps' }
  const timed = calls.timed[Number(number)]
  if (timed !== undefined) {
    const timeoutMs = Number(args[timed]) | 0
    return { kind: 'loop', timeoutMs: timeoutMs < 0 ? Number.POSITIVE_INFINITY : timeoutMs }
  }
  if (Number(number) === calls.futex) return { kind: Number(args[FUTEX_TIMEOUT]) === 0 ? 'other' : 'supervisor' }
  return { kind: calls.hidden.includes(Number(number)) ? 'sleeps' : 'other' }
}

/**
 * In how many milliseconds the next timer of a program is due at most, by what its threads do; undefined: that does not show. One
 * supervisor is allowed, as Go's scheduler has: it sleeps no longer than the event loop.
 */
export function dueWithin(waits: readonly ThreadWait[]): number | undefined {
  const timeouts = waits.flatMap((wait) => (wait.kind === 'loop' ? [wait.timeoutMs] : []))
  const supervisors = waits.filter(({ kind }) => kind === 'supervisor').length
  if (timeouts.length === 0 || supervisors > 1 || waits.some(({ kind }) => kind === 'sleeps')) return undefined
  return Math.min(...timeouts)
}

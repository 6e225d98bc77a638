import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Cancel, Clock } from './clock.ts'

/** A process with so many bytes, whose heaps may double before garbage is collected, holds more garbage than the machine has room for. */
const LARGE_BYTES = 600 << 20
/** While the process is busy, garbage collection delays the work, so it counts as large from here on. */
const LARGE_IF_BUSY_BYTES = 1800 << 20
/** Garbage of a large process is collected when a heap has grown by so much; of a small one when V8 likes. */
const LARGE_GROWS_BY = 60
/**
 * A huge process has no room for that. Smaller steps cost more: with 2,000 nodes that only renew their leases, collections at each 20 %
 * took half of the CPU time.
 */
const HUGE_BYTES = 1400 << 20
const HUGE_GROWS_BY = 20
/** All garbage of a heap up to this size is collected at once: that takes 20 to 200 ms. Larger ones are collected incrementally. */
const AT_ONCE_BYTES = 128 << 20
/** A heap that has grown by less since the last time is left alone. */
const WORTHWHILE_BYTES = 4 << 20
const LOOK_MS = 5000
/** A process that takes so much of one processor is busy. */
const BUSY = 0.5
/** A thread that takes less of one processor serves so few that hardly any of them meets a pause. */
const QUIET = 0.02
/**
 * V8 starts an incremental collection when so much memory outside of its heap was allocated. The memory is never written, so it never
 * becomes resident.
 */
const NUDGE_BYTES = 128 << 20

/**
 * By how many percent heaps may grow before garbage is looked for; 0: V8's own choice. What it was decides at the limits. Pure.
 */
export function growingPercent(residentBytes: number, busy: boolean, before: number): number {
  const large = busy ? LARGE_IF_BUSY_BYTES : LARGE_BYTES
  if (residentBytes <= (before === 0 ? large : large / 2)) return 0
  return residentBytes > (before === HUGE_GROWS_BY ? HUGE_BYTES / 2 : HUGE_BYTES) ? HUGE_GROWS_BY : LARGE_GROWS_BY
}

/** The process, and the heap of this thread. */
export interface HeapOwner {
  /** Of the process, with the heaps of all threads. */
  residentBytes(): number
  /** Of this thread's heap. */
  usedBytes(): number
  /** Time of all processors that the process has used. */
  cpuMs(): number
  /** The same of this thread alone. */
  threadCpuMs(): number
  /** Sets a flag of V8, for all threads. */
  set(flag: string): void
  collect(): void
  nudge(): void
}

/** 0 where it cannot be read: Node needs /proc for it, which a chroot may lack. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return 0
  }
}

const THIS_THREAD: HeapOwner = {
  residentBytes,
  usedBytes: () => getHeapStatistics().used_heap_size,
  cpuMs: () => millisecondsOf(process.cpuUsage()),
  threadCpuMs: () => millisecondsOf(process.threadCpuUsage()),
  set: setFlagsFromString,
  collect: collectGarbage,
  nudge: () => void new ArrayBuffer(NUDGE_BYTES),
}

const millisecondsOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000

/** Since the last look. */
interface Load {
  readonly busy: boolean
  /** Of this thread. */
  readonly quiet: boolean
}

/** Calls `look` every five seconds. */
function watchLoad(clock: Clock, owner: HeapOwner, look: (load: Load) => void): Cancel {
  let cancel: Cancel = () => {}
  const read = () => ({ cpuMs: owner.cpuMs(), threadCpuMs: owner.threadCpuMs(), atMs: clock.monotonic() })
  let last = read()
  const next = () => {
    const now = read()
    const passedMs = now.atMs - last.atMs
    look({ busy: now.cpuMs - last.cpuMs > BUSY * passedMs, quiet: now.threadCpuMs - last.threadCpuMs < QUIET * passedMs })
    last = now
    cancel = clock.after(LOOK_MS, next)
  }
  cancel = clock.after(LOOK_MS, next)
  return () => cancel()
}

/**
 * Keeps the heaps of this process close to what lives in them: V8 lets each grow to twice that and more before it looks for garbage. For a
 * program of its own alone: the setting is the whole process's. Its main thread calls this.
 */
export function keepHeapsLean(clock: Clock, owner: HeapOwner = THIS_THREAD): Cancel {
  let percent = 0
  return watchLoad(clock, owner, ({ busy }) => {
    const wanted = growingPercent(owner.residentBytes(), busy, percent)
    if (wanted !== percent) owner.set(`--heap-growing-percent=${wanted}`)
    percent = wanted
  })
}

/**
 * Keeps the space of young objects as small as the last collection left it, unless the process is busy: V8 lets it grow to 32 MB, and most
 * of that is garbage when a process has little to do. For a program of its own alone, and next to `collectWhenIdle`, which shrinks it.
 */
export function keepYoungSpaceSmall(clock: Clock, owner: HeapOwner = THIS_THREAD): Cancel {
  // V8's own.
  let factor = 2
  return watchLoad(clock, owner, ({ busy }) => {
    const wanted = busy ? 2 : 1
    if (wanted !== factor) owner.set(`--semi-space-growth-factor=${wanted}`)
    factor = wanted
  })
}

export interface CollectOptions {
  /**
   * Others wait for this thread: all garbage is collected at once only when the thread has next to nothing to do. Before, it is collected
   * step by step, which leaves more of it.
   */
  readonly serving?: boolean
}

/**
 * Collects this thread's garbage when work is over, and after the start. When nothing much happens V8 never does: the garbage of a start
 * is a fifth of the memory of an idle cluster, and after a hundred thousand pods have come up theirs would stay for as long as they run.
 */
export function collectWhenIdle(clock: Clock, options: CollectOptions = {}, owner: HeapOwner = THIS_THREAD): Cancel {
  let due: 'all' | 'rest' | 'nothing' = 'all'
  let leastBytes = 0
  return watchLoad(clock, owner, ({ busy, quiet }) => {
    const usedBytes = owner.usedBytes()
    leastBytes = Math.min(leastBytes, usedBytes)
    if (busy) due = 'all'
    else if (due === 'nothing') return
    else if (usedBytes <= leastBytes + WORTHWHILE_BYTES) due = 'nothing'
    else if (usedBytes > AT_ONCE_BYTES || (options.serving && !quiet)) {
      if (due === 'all') owner.nudge()
      due = usedBytes > AT_ONCE_BYTES ? 'nothing' : 'rest'
    } else {
      owner.collect()
      due = 'nothing'
    }
    if (due === 'nothing') leastBytes = owner.usedBytes()
  })
}

/** Collects all garbage of this thread, and gives its memory back to the system. */
export function collectGarbage(): void {
  // V8 puts the function into contexts that are made while the flag is set. It stays set: flags are those of all threads, and another one
  // may be about to make its context.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  // `last-resort` also shrinks the space of young objects.
  collect({ type: 'major', flavor: 'last-resort' })
}

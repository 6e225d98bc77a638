import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import type { Cancel, Clock } from './clock.ts'

/** From so many bytes on a heap that may double before it is tidied up holds more garbage than the machine has room for. */
const LARGE_BYTES = 400 << 20
/** While the process is busy, garbage collection delays the work, so a heap counts as large from here on. */
const LARGE_IF_BUSY_BYTES = 1200 << 20
/** A large heap is tidied up when it has grown by so much; a small one when V8 likes. */
const LARGE_GROWS_BY = 20
const LOOK_MS = 5000
/** A process that takes so much of one processor is busy. */
const BUSY = 0.5
/**
 * V8 starts an incremental collection when so much memory outside of its heap was allocated. The memory is never written, so it never
 * becomes resident.
 */
const NUDGE_BYTES = 128 << 20

/**
 * By how many percent a heap may grow before garbage is looked for; 0: V8's own choice. What it was decides between large and small. Pure.
 */
export function growingPercent(usedBytes: number, busy: boolean, before: number): number {
  const large = busy ? LARGE_IF_BUSY_BYTES : LARGE_BYTES
  return usedBytes > (before === 0 ? large : large / 2) ? LARGE_GROWS_BY : 0
}

/** The process whose heap it is. */
export interface HeapOwner {
  usedBytes(): number
  /** Time of all processors that it has used. */
  cpuMs(): number
  set(flag: string): void
  nudge(): void
}

const THIS_PROCESS: HeapOwner = {
  usedBytes: () => getHeapStatistics().used_heap_size,
  cpuMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  set: setFlagsFromString,
  nudge: () => void new ArrayBuffer(NUDGE_BYTES),
}

/**
 * Keeps the heap of this process close to what lives in it. V8 lets one grow to twice that and more before it looks for garbage, and when
 * nothing much happens it never does: after a hundred thousand pods have come up, their garbage would stay for as long as they run. So when
 * work is over, garbage is looked for once. For a program of its own alone: the setting is the whole process's.
 */
export function keepHeapLean(clock: Clock, owner: HeapOwner = THIS_PROCESS): Cancel {
  let percent = 0
  let cancel: Cancel = () => {}
  let last = { cpuMs: owner.cpuMs(), atMs: clock.monotonic() }
  let wasBusy = false
  const look = () => {
    const now = { cpuMs: owner.cpuMs(), atMs: clock.monotonic() }
    const busy = now.cpuMs - last.cpuMs > BUSY * (now.atMs - last.atMs)
    const usedBytes = owner.usedBytes()
    const wanted = growingPercent(usedBytes, busy, percent)
    if (wanted !== percent) owner.set(`--heap-growing-percent=${wanted}`)
    percent = wanted
    if (wasBusy && !busy && usedBytes > LARGE_BYTES) owner.nudge()
    wasBusy = busy
    last = now
    cancel = clock.after(LOOK_MS, look)
  }
  cancel = clock.after(LOOK_MS, look)
  return () => cancel()
}

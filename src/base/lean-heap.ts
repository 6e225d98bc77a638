import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import type { Cancel, Clock } from './clock.ts'

/** From so many bytes on a heap that may double before it is tidied up holds more garbage than the machine has room for. */
const LARGE_BYTES = 400 << 20
/** A large heap is tidied up when it has grown by so much; a small one when V8 likes. */
const LARGE_GROWS_BY = 20
const LOOK_MS = 5000

/** By how many percent a heap may grow before garbage is looked for; 0: V8's own choice. What it was decides between large and small. Pure. */
export function growingPercent(usedBytes: number, before: number): number {
  return usedBytes > (before === 0 ? LARGE_BYTES : LARGE_BYTES / 2) ? LARGE_GROWS_BY : 0
}

/**
 * Keeps the heap of this process close to what lives in it. V8 lets one grow to twice that and more before it looks for garbage, and when nothing much happens it never
 * does: after a hundred thousand pods have come up, their garbage would stay for as long as they run. For a program of its own alone: the setting is the whole process's.
 */
export function keepHeapLean(clock: Clock, set: (flag: string) => void = setFlagsFromString): Cancel {
  let percent = 0
  let cancel: Cancel = () => {}
  const look = () => {
    const wanted = growingPercent(getHeapStatistics().used_heap_size, percent)
    if (wanted !== percent) set(`--heap-growing-percent=${wanted}`)
    percent = wanted
    cancel = clock.after(LOOK_MS, look)
  }
  look()
  return () => cancel()
}

/**
 * Counts what a computation does, in place of the time that it takes: the blocks of our code that V8 runs, and the characters and elements
 * that built-in functions go through. The counts are nearly the same on every machine, whatever else it does.
 */
import { Session } from 'node:inspector'

/** Work: blocks that ran, and elements that built-in functions went through. */
export interface Work {
  readonly total: number
  /** The most in one turn of the event loop. */
  readonly longestTurn: number
}

/** Measures what `compute` does until it is done. One at a time: it replaces built-in functions. */
export async function workOf(compute: () => Promise<unknown>): Promise<Work> {
  using blocks = countBlocks()
  using elements = countElements()
  let [total, longestTurn] = [0, 0]
  const take = () => {
    const work = blocks.take() + elements.take()
    total += work
    longestTurn = Math.max(longestTurn, work)
  }
  let next: NodeJS.Immediate | undefined
  const look = () => {
    take()
    next = setImmediate(look)
  }
  look()
  try {
    await compute()
  } finally {
    clearImmediate(next)
  }
  take()
  return { total, longestTurn }
}

interface WorkCounter extends Disposable {
  /** What was counted since the last call. */
  take(): number
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

/** V8 counts how often each block of a function runs. */
function countBlocks(): WorkCounter {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const take = () => {
    let count = 0
    session.post('Profiler.takePreciseCoverage', (_, { result }: Coverage) => {
      for (const { url, functions } of result)
        if (url.includes('/src/')) for (const { ranges } of functions) for (const range of ranges) count += range.count
    })
    return count
  }
  take()
  return { take, [Symbol.dispose]: () => session.disconnect() }
}

type Sized = { readonly length: number }
type BuiltinFunction = (this: Sized, ...args: unknown[]) => unknown
type Cost = (of: Sized, result: unknown, args: readonly unknown[]) => number

const whole: Cost = (of) => of.length
const made: Cost = (_, result) => (result as Sized).length
/** Up to the index that was found. */
const sought: Cost = (of, result, [, from = 0]) => (Number(result) < 0 ? of.length : Number(result) + 1) - (Number(from) || 0)
const soughtBackwards: Cost = (of, result) => of.length - Math.max(0, Number(result))

/** Built-in functions that go through texts and lists in a loop of their own. Those that call our functions count by these. */
const COSTS: readonly (readonly [prototype: object, costs: Readonly<Record<string, Cost>>])[] = [
  [
    Array.prototype,
    {
      slice: made,
      splice: whole,
      concat: made,
      indexOf: sought,
      lastIndexOf: soughtBackwards,
      includes: whole,
      join: made,
      shift: whole,
      unshift: whole,
      reverse: whole,
      toReversed: whole,
      flat: made,
      fill: whole,
    },
  ],
  [
    String.prototype,
    {
      split: whole,
      indexOf: sought,
      lastIndexOf: soughtBackwards,
      includes: whole,
      trim: whole,
      trimStart: whole,
      trimEnd: whole,
      toUpperCase: whole,
      toLowerCase: whole,
      repeat: made,
      padStart: made,
      padEnd: made,
      [Symbol.iterator as unknown as string]: whole,
    },
  ],
  [Uint8Array.prototype, { set: (_, __, [from]) => (from as Sized).length, slice: made, indexOf: sought, fill: whole }],
  [Object.getPrototypeOf(Uint8Array.prototype) as object, { set: (_, __, [from]) => (from as Sized).length, slice: made, fill: whole }],
  [RegExp.prototype, { exec: (of, found, [text]) => scanned(of as RegExp & Sized, found as RegExpExecArray | null, String(text)) }],
  [Buffer, { concat: made }],
]

/** What an expression went through, as far as that is known: what it found, or a text in which it found nothing. */
function scanned({ sticky }: RegExp, found: RegExpExecArray | null, text: string): number {
  if (found !== null) return found[0].length + 1
  return sticky ? 1 : text.length
}

function countElements(): WorkCounter {
  let count = 0
  const originals: (() => void)[] = []
  for (const [prototype, costs] of COSTS)
    for (const name of Reflect.ownKeys(costs) as string[]) {
      const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
      const cost = costs[name]
      if (descriptor === undefined || cost === undefined) continue
      const original = descriptor.value as BuiltinFunction
      const counted: BuiltinFunction = function (...args) {
        const result = original.apply(this, args)
        count += cost(this, result, args)
        return result
      }
      Object.defineProperty(prototype, name, { ...descriptor, value: counted })
      originals.push(() => Object.defineProperty(prototype, name, descriptor))
    }
  const take = () => {
    const taken = count
    count = 0
    return taken
  }
  const restoreAll = () => {
    for (const restore of originals) restore()
  }
  return { take, [Symbol.dispose]: restoreAll }
}

import { type Cidr, parseCidr } from '../../machinery/ip-address.ts'
import { BlockSet, type Blocks } from './block-set.ts'
import type { NodeRanges } from './ranges.ts'

/** Which node has which blocks of the cluster's ranges. */
export interface RangeAllocator {
  /** Records that a node has these ranges; returns those that are outside the cluster's ranges. */
  keep(node: string, cidrs: readonly string[]): readonly string[]
  /**
   * One block of each range, those that it was given before if it was; undefined (and nothing taken) when one of the ranges has none left.
   */
  allocate(node: string): readonly string[] | undefined
  /** Whether it had any. */
  free(node: string): boolean
}

interface Held {
  readonly of: BlockSet
  readonly blocks: Blocks
}

interface Holding {
  readonly given: boolean
  readonly all: readonly Held[]
}

const texts = (all: readonly Held[]) => all.map(({ of, blocks }) => of.text(blocks))

export function createRangeAllocator({ ranges, except }: NodeRanges): RangeAllocator {
  const sets = ranges.map((range) => new BlockSet(range))
  const held = new Map<string, Holding>()
  const touchedBy = (cidr: Cidr): readonly Held[] =>
    sets.flatMap((of) => {
      const blocks = of.touchedBy(cidr)
      return blocks === undefined ? [] : [{ of, blocks }]
    })
  const touched = (text: string): readonly Held[] => {
    const cidr = parseCidr(text)
    return cidr === undefined ? [] : touchedBy(cidr)
  }
  const hold = (node: string, now: readonly Held[]) => {
    for (const { of, blocks } of now) of.hold(blocks)
    free(node)
    if (now.length > 0) held.set(node, { given: false, all: now })
  }
  const free = (node: string): boolean => {
    for (const { of, blocks } of held.get(node)?.all ?? []) of.release(blocks)
    return held.delete(node)
  }
  for (const { of, blocks } of except.flatMap(touchedBy)) of.hold(blocks)
  return {
    keep(node, cidrs) {
      const found = cidrs.map(touched)
      hold(node, found.flat())
      return cidrs.filter((_, i) => found[i]?.length === 0)
    },
    allocate(node) {
      const has = held.get(node)
      if (has?.given === true) return texts(has.all)
      // Of a node of that name that went.
      free(node)
      const taken: Held[] = []
      for (const of of sets) {
        const blocks = of.take()
        if (blocks === undefined) {
          for (const one of taken) one.of.release(one.blocks)
          return undefined
        }
        taken.push({ of, blocks })
      }
      held.set(node, { given: true, all: taken })
      return texts(taken)
    },
    free,
  }
}

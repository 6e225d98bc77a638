import type { CgroupAmounts } from './cgroup-files.ts'

export type ResizedResource = 'memory' | 'cpu'
/** Groups grow before the containers in them, and shrink after. */
export type ResizeDirection = 'up' | 'down'

/** Amounts by resource, in the kubelet's order: a limit before what is asked for. */
const AMOUNTS = { memory: ['memoryLimitBytes'], cpu: ['cpuQuotaUs', 'cpuShares'] } as const

interface ResizeStep {
  readonly resource: ResizedResource
  readonly direction: ResizeDirection
}

/** The changes of one group that lead to other amounts, one at a time. Pure. */
export function resizeSteps(held: CgroupAmounts, wanted: CgroupAmounts, { resource, direction }: ResizeStep): readonly CgroupAmounts[] {
  return AMOUNTS[resource].flatMap((name): CgroupAmounts[] => {
    const [from, to] = [held[name], wanted[name]]
    if (from === undefined || to === undefined || from === to) return []
    const grows = limitOf(to) > limitOf(from)
    return grows === (direction === 'up') ? [{ [name]: to }] : []
  })
}

/** A negative limit is none. */
const limitOf = (amount: number) => (amount < 0 ? Number.POSITIVE_INFINITY : amount)

import { type AmountAlgebra, sumOfPod, type Totals } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../objects.ts'
import { amountOf } from './amounts.ts'

/** Amounts by resource name. */
export type Amounts = Totals<number>

/** What a container that says nothing is taken to use when nodes are scored. */
export const DEFAULT_CPU_MILLIS = 100
export const DEFAULT_MEMORY_BYTES = 200 * 1024 * 1024

const DEFAULTS = { cpu: `${DEFAULT_CPU_MILLIS}m`, memory: String(DEFAULT_MEMORY_BYTES) }

export interface RequestOptions {
  /** Count containers without a cpu or memory request as using the defaults above. */
  readonly nonMissing?: boolean
}

const numbers: AmountAlgebra<number> = { read: amountOf, add: (a, b) => a + b, larger: Math.max }

/** What a pod asks of its node, in the scheduler's numbers; one that is being resized in place counts with what it holds. */
export function podRequests(pod: Readonly<Pod>, options: RequestOptions = {}): Amounts {
  return sumOfPod(numbers, pod.spec, 'requests', { status: pod.status, missing: options.nonMissing === true ? DEFAULTS : undefined })
}

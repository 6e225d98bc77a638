import { memo } from '../../base/collections/memo.ts'
import { parseQuantity, tryParseQuantity } from '../../machinery/quantity.ts'
import { type AmountAlgebra, sumOfPod, type Totals } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../../resources/types/core.ts'

/** Amounts as the scheduler counts them: CPU in thousandths, all else in whole units, both rounded up. Parsed once per text. */
export function amountOf(resource: string, quantity: string | number): number {
  return (resource === 'cpu' ? milliOf : wholeOf)(String(quantity))
}

const parsed = (text: string) => tryParseQuantity(text) ?? parseQuantity(0)
const milliOf = memo((text) => Number(parsed(text).milliValue()), { most: 10_000 })
const wholeOf = memo((text) => Number(parsed(text).value()), { most: 10_000 })

/** Everything that is not named by Kubernetes itself: `example.com/dongle`, opaque integer resources. */
export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.split('/')[0]?.endsWith('kubernetes.io') && !name.startsWith('requests.')
}

/** Resources that nodes count beside cpu, memory, ephemeral-storage and pods: extended resources, hugepages, attachable volumes. */
export function isScalarResource(name: string): boolean {
  return name.includes('/') || name.startsWith('hugepages-') || name.startsWith('attachable-volumes-')
}

/** Amounts by resource name. */
export type Amounts = Totals<number>

/** What a container without a request counts with when nodes are scored. */
export const DEFAULT_CPU_MILLIS = 100
export const DEFAULT_MEMORY_BYTES = 200 * 1024 * 1024

const DEFAULTS = { cpu: `${DEFAULT_CPU_MILLIS}m`, memory: String(DEFAULT_MEMORY_BYTES) }

export interface RequestOptions {
  /** Count containers without a cpu or memory request as using the defaults above. */
  readonly nonMissing?: boolean
}

const numbers: AmountAlgebra<number> = { read: amountOf, add: (a, b) => a + b, larger: Math.max }

/** A pod's requests, in the scheduler's units; a pod that is being resized in place counts with its allocated resources. */
export function requestsOf(pod: Readonly<Pod>, options: RequestOptions = {}): Amounts {
  return sumOfPod(numbers, pod.spec, 'requests', { status: pod.status, missing: options.nonMissing === true ? DEFAULTS : undefined })
}

import { parseQuantity } from '../../machinery/quantity.ts'
import { type Container, isStaticPod, type Pod } from '../types/pod.ts'

const KEPT = -997
const FIRST_TO_GO = 1000
/** From here on a pod is one of the node itself. */
const NODE_CRITICAL = 2_000_001_000

/** How the kernel chooses a process when memory runs out: the more memory a container requests, the later it is killed. */
export function oomScoreAdjustment(pod: Pod, container: Container, memoryCapacity: number): number {
  const { priority = 0, containers } = pod.spec as Pod['spec'] & { readonly priority?: number }
  if (isStaticPod(pod) || priority >= NODE_CRITICAL || pod.status.qosClass === 'Guaranteed') return KEPT
  if (pod.status.qosClass !== 'Burstable' || memoryCapacity <= 0) return FIRST_TO_GO
  const scoreOf = (bytes: number) => FIRST_TO_GO - Math.floor((FIRST_TO_GO * bytes) / memoryCapacity)
  const sidecar = pod.spec.initContainers?.includes(container) && container.restartPolicy === 'Always'
  // A sidecar outlives whomever it serves.
  const own = scoreOf(memoryOf(container))
  const score = sidecar ? Math.min(own, scoreOf(Math.min(...containers.map(memoryOf)))) : own
  return Math.min(Math.max(score, FIRST_TO_GO + KEPT), FIRST_TO_GO - 1)
}

function memoryOf({ resources }: Container): number {
  const { requests, limits } = (resources ?? {}) as { readonly requests?: Amounts; readonly limits?: Amounts }
  const said = requests?.memory ?? limits?.memory
  return said === undefined ? 0 : parseQuantity(said).value()
}

type Amounts = Readonly<Record<string, string>>

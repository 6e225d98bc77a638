import { parseQuantity } from '../../machinery/quantity.ts'
import { qosClass } from '../../resources/pod/qos.ts'
import type { Container, Pod } from './pod.ts'

const GUARANTEED = -997
const BEST_EFFORT = 1000
/** Pods of this class belong to the node itself. */
const NODE_CRITICAL = 'system-node-critical'

/** The kubelet's `oom_score_adj`: the more memory a container requests, the later the kernel kills it when memory runs out. Pure. */
export function oomScoreOf(pod: Pod, container: Container, memoryCapacityBytes: number): number {
  const { priorityClassName, containers, initContainers } = pod.spec
  const qos = qosClass(pod.spec)
  if (priorityClassName === NODE_CRITICAL || qos === 'Guaranteed') return GUARANTEED
  if (qos === 'BestEffort' || memoryCapacityBytes <= 0) return BEST_EFFORT
  const isSidecar = container.restartPolicy === 'Always' && initContainers?.includes(container)
  // A sidecar is killed no earlier than the containers that need it.
  const least = Math.min(...containers.map(memoryOf))
  const bytes = isSidecar ? Math.max(memoryOf(container), least) : memoryOf(container)
  const score = BEST_EFFORT - Math.trunc((BEST_EFFORT * bytes) / memoryCapacityBytes)
  return Math.min(Math.max(score, BEST_EFFORT + GUARANTEED), BEST_EFFORT - 1)
}

const memoryOf = ({ resources }: Container): number =>
  parseQuantity(resources?.requests?.memory ?? resources?.limits?.memory ?? '0').value()

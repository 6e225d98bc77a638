import type { KubeObject } from '../../../machinery/object.ts'
import { summarize } from '../../../resources/core/pods/pod-columns.ts'
import type { Pod } from '../../../resources/pod/types.ts'
import type { ReportedHealth } from './reported-health.ts'

/** Words of `kubectl get pods` for pods that are on their way. */
const BUSY = /^(Pending|ContainerCreating|PodInitializing|Terminating|SchedulingGated|NotReady|Init:\d+\/\d+)$/
const DONE = /^(Completed|Succeeded)$/

/** How a pod does: its word in `kubectl get pods`, and the message of what it waits for. */
export function podHealth(object: KubeObject, nowMs: number): ReportedHealth {
  const pod = object as Pod
  const { ready, status } = summarize(pod, nowMs)
  const unscheduled = pod.status?.conditions?.find((c) => c.type === 'PodScheduled' && c.status === 'False' && c.reason === 'Unschedulable')
  if (unscheduled !== undefined) return { tone: 'bad', health: `Unschedulable: ${unscheduled.message ?? ''}` }
  if (DONE.test(status)) return { tone: 'done', health: '' }
  if (BUSY.test(status)) return { tone: 'busy', health: status }
  if (status !== 'Running' && status !== '') return { tone: 'bad', health: [status, messageOfPod(pod)].filter(Boolean).join(': ') }
  const [up, of] = ready.split('/')
  return up === of ? { tone: '', health: '' } : { tone: 'busy', health: `${up} of ${of} containers ready` }
}

/** What the pod or its first waiting or ended container says. */
function messageOfPod({ status }: Pod): string {
  const states = status?.containerStatuses?.map(({ state }) => state?.waiting?.message ?? state?.terminated?.message)
  return status?.message ?? states?.find(Boolean) ?? ''
}

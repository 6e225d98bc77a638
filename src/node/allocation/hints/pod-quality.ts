import { qosClass } from '../../../resources/pod/qos.ts'
import type { Pod } from '../../types/pod.ts'

/** Whether a pod can get exclusive resources: it is Guaranteed by its containers' resources, not by pod-level resources. */
export const getsItsOwn = (pod: Pod): boolean => isGuaranteed(pod) && !hasPodLevelResources(pod)

export const isGuaranteed = (pod: Pod): boolean => qosClass(pod.spec) === 'Guaranteed'

function hasPodLevelResources({ spec: { resources } }: Pod): boolean {
  return Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0
}

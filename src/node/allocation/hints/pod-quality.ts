import { qosClass } from '../../../resources/pod/qos.ts'
import type { Pod } from '../../types/pod.ts'

/**
 * Whether a pod can get a part of the machine for itself: its amounts are promised, container by container (not for the pod as a whole).
 */
export const getsItsOwn = (pod: Pod): boolean => isGuaranteed(pod) && !hasPodLevelResources(pod)

export const isGuaranteed = (pod: Pod): boolean => qosClass(pod.spec) === 'Guaranteed'

function hasPodLevelResources({ spec: { resources } }: Pod): boolean {
  return Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0
}

import { qosClass } from '../../resources/pod/qos.ts'
import type { Pod } from '../pod/pod-types.ts'

/** Whether a pod's amounts are promised: only such pods get a part of the machine for themselves. */
export const isGuaranteed = (pod: Pod): boolean => qosClass({ ...pod.spec } as Parameters<typeof qosClass>[0]) === 'Guaranteed'

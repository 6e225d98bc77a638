import type { ObjectMeta } from '../../machinery/object.ts'
import type { ContainerStatus, PodStatus } from '../../resources/types/core.ts'
import type { Pod } from './pod.ts'

/** A container's status with the test's fields over neutral defaults. */
export const containerStatus = (more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'main',
  image: 'app',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...more,
})

/** A pod with one container. */
export const podDouble = (
  more: { readonly metadata?: ObjectMeta; readonly spec?: Partial<Pod['spec']>; readonly status?: PodStatus } = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'u', ...more.metadata },
  spec: { containers: [{ name: 'main', image: 'app' }], ...more.spec },
  status: more.status ?? {},
})

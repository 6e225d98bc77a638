import type { Clock } from '../../base/clock.ts'
import { type Later, whenEnded } from '../../base/steps.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { PodMetrics } from './pod-metrics.ts'

/** The verbs that are counted, by the kubelet's names. */
const OPERATIONS = {
  status: 'status',
  stopSandbox: 'stop_podsandbox',
  removeSandbox: 'remove_podsandbox',
  sandboxes: 'list_podsandbox',
  imageStatus: 'image_status',
  images: 'list_images',
  removeImage: 'remove_image',
  createContainer: 'create_container',
  startContainer: 'start_container',
  stopContainer: 'stop_container',
  removeContainer: 'remove_container',
  containers: 'list_containers',
  updateResources: 'update_container',
  execSync: 'exec_sync',
} as const

/** The same runtime, whose calls are counted. */
export function countedRuntime<R extends Runtime>(runtime: R, metrics: PodMetrics, clock: Pick<Clock, 'monotonic'>): R {
  const sinceSeconds = (begunMs: number) => (clock.monotonic() - begunMs) / 1000
  const timed = <T>(operation: string, call: () => Later<T>): Later<T> => {
    const begunMs = clock.monotonic()
    return whenEnded(call, (error) => metrics.called(operation, sinceSeconds(begunMs), error !== undefined))
  }
  const counted = Object.entries(OPERATIONS).map(([verb, operation]) => {
    const call = runtime[verb as keyof typeof OPERATIONS] as (...words: readonly unknown[]) => Later<unknown>
    return [verb, (...words: readonly unknown[]) => timed(operation, () => call.apply(runtime, [...words]))] as const
  })
  const made: Pick<Runtime, 'runSandbox' | 'pullImage'> = {
    async runSandbox(spec, signal) {
      const begunMs = clock.monotonic()
      return whenEnded(
        () => timed('run_podsandbox', () => runtime.runSandbox(spec, signal)),
        (error) => metrics.sandboxMade(spec.runtimeHandler, sinceSeconds(begunMs), error !== undefined),
      )
    },
    async pullImage(request, signal) {
      const begunMs = clock.monotonic()
      const image = await timed('pull_image', () => runtime.pullImage(request, signal))
      metrics.pulled(image.sizeBytes, sinceSeconds(begunMs))
      return image
    },
  }
  // What is not counted is the runtime's own, by inheritance: a copy of everything weighs more.
  return Object.assign(Object.create(runtime) as R, Object.fromEntries(counted), made)
}

import type { Clock } from '../../base/clock.ts'
import type { Later } from '../../base/steps.ts'
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
  const timed = <T>(operation: string, call: () => Later<T>, ended?: (seconds: number, result: T | undefined) => void): Later<T> => {
    const begun = clock.monotonic()
    const end = (failed: boolean, result?: T) => {
      const seconds = (clock.monotonic() - begun) / 1000
      metrics.called(operation, seconds, failed)
      ended?.(seconds, result)
    }
    const called = call()
    if (called instanceof Promise)
      return called.then(
        (result) => {
          end(false, result)
          return result
        },
        (error: unknown) => {
          end(true)
          throw error
        },
      )
    end(false, called)
    return called
  }
  const counted = Object.entries(OPERATIONS).map(([verb, operation]) => {
    const call = runtime[verb as keyof typeof OPERATIONS] as (...words: readonly unknown[]) => Later<unknown>
    return [verb, (...words: readonly unknown[]) => timed(operation, () => call.apply(runtime, [...words]))] as const
  })
  const made: Pick<Runtime, 'runSandbox' | 'pullImage'> = {
    runSandbox: async (spec, signal) =>
      timed(
        'run_podsandbox',
        () => runtime.runSandbox(spec, signal),
        (seconds, id) => metrics.sandboxMade(spec.runtimeHandler, seconds, id === undefined),
      ),
    pullImage: async (request, signal) =>
      timed(
        'pull_image',
        () => runtime.pullImage(request, signal),
        (seconds, image) => {
          if (image !== undefined) metrics.pulled(image.sizeBytes, seconds)
        },
      ),
  }
  // What is not counted is the runtime's own, by inheritance: a copy of everything weighs more.
  return Object.assign(Object.create(runtime) as R, Object.fromEntries(counted), made)
}

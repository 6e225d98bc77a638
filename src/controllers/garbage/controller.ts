import { pause } from '../../base/pause.ts'
import { runListedController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { synced } from '../frame/informer-set.ts'
import { FollowedResources } from './followed-resources.ts'
import { OwnerGraph } from './graph.ts'
import { collectGarbage } from './reconcile.ts'

const NAME = 'garbage-collector'
/** How long the first lists are waited for, as upstream. */
const SYNC_TIMEOUT_MS = 30_000

/** Deletes objects whose owners are gone: background, foreground and orphan propagation, for built-in and custom resources. */
export function createController({ clientOf, clock, informers, catalogue, events, log, activities }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const graph = new OwnerGraph()
  const client = clientOf('generic-garbage-collector')
  const followed = new FollowedResources({ informers, catalogue, graph, queue })
  const deps = { client, catalogue, graph, queue, events: events('garbage-collector-controller') }
  return {
    name: NAME,
    async run(signal) {
      if (!(await synced([followed.update()], signal))) return
      catalogue.onChange(
        () => void followed.update().catch((error) => log.warn('the garbage collector could not follow a resource', { error })),
      )
      // A collection that cannot be listed (its aggregated server is down) delays nothing: unknown owners are read from the API.
      const late = pause(clock, SYNC_TIMEOUT_MS, signal, 'work')
      const ready = [Promise.race([followed.synced(), late])]
      const reconcile = (uid: string) => collectGarbage(deps, uid)
      await runListedController({ name: NAME, queue, workers: 8, ready, reconcile, log, activities }, signal)
    },
  }
}

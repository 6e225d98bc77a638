import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { RESOURCE_QUOTAS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { CatalogueEntry } from '../frame/catalogue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { isFinished } from '../pods/pod-state.ts'
import { concerns, quotaStatus } from './plan.ts'

const NAME = 'resourcequota-controller'
/** What of an object changes how it counts without admission having seen to it, or may become less. */
function counts(key: string, object: KubeObject): string {
  const { metadata, spec, status } = object
  switch (key) {
    case '/pods':
      return `${isFinished(object)} ${metadata.deletionTimestamp !== undefined} ${metadata.generation}`
    case '/services':
      return String(spec?.type)
    case '/persistentvolumeclaims':
      return `${spec?.resources?.requests?.storage} ${status?.allocatedResources?.storage}`
    default:
      return ''
  }
}
/** As kube-controller-manager's `--resource-quota-sync-period`. */
const RESYNC_MS = 300_000

/** Counts what quotas limit: when a quota changes, when something it counts goes, and now and then. */
export function createQuotaController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const quotas = informers.of(RESOURCE_QUOTAS)
  const followed = new Map<string, Informer<KubeObject>>()
  quotas.addHandler({
    added: (q) => queue.add(objectKey(q)),
    updated: (q, old) => {
      if (!semanticEqual(q.spec, old.spec) || !semanticEqual(q.status?.hard, old.status?.hard)) queue.add(objectKey(q))
    },
  })

  /** What becomes less is counted again; what becomes more was counted by admission. */
  function follow(entry: CatalogueEntry): void {
    const key = `${entry.group}/${entry.resource}`
    const informer = informers.of(entry)
    // A definition that went and came again has another copy.
    if (followed.get(key) === informer) return
    followed.set(key, informer)
    const recount = (object: KubeObject) => {
      for (const quota of quotas.list(object.metadata.namespace ?? ''))
        if (concerns(quota, entry.group, entry.resource)) queue.add(objectKey(quota))
    }
    informer.addHandler({
      updated: (object, old) => {
        if (counts(key, object) !== counts(key, old)) recount(object)
      },
      deleted: recount,
    })
  }

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const quota = quotas.get(key)
    if (quota === undefined) return undefined
    const { namespace = '', name = '' } = quota.metadata
    const entries = (await deps.catalogue.namespaced()).filter((e) => concerns(quota, e.group, e.resource))
    for (const entry of entries) follow(entry)
    await Promise.all(entries.map((e) => informers.of(e).synced))
    const counted = entries.map((e) => ({ group: e.group, resource: e.resource, objects: informers.of(e).list(namespace) }))
    const status = quotaStatus(quota, counted)
    if (!semanticEqual(status, quota.status)) {
      await client.update({ ...RESOURCE_QUOTAS, namespace, name, subresource: 'status' }, { ...quota, status }).catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
      })
    }
    return { requeueAfterMs: RESYNC_MS }
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [quotas], reconcile, log })
}

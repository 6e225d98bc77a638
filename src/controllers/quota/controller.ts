import { semanticEqual } from '../../machinery/equal.ts'
import { RESOURCE_QUOTAS } from '../../resources/refs.ts'
import type { ResourceQuota } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { defineController } from '../frame/define-controller.ts'
import { writeStatus } from '../frame/write-status.ts'
import { FollowedCollections } from './followed-collections.ts'
import { quotaStatus } from './plan.ts'

/** As kube-controller-manager's `--resource-quota-sync-period`. */
const RESYNC_MS = 300_000

interface QuotaDeps {
  readonly client: Client
  readonly followed: FollowedCollections
}

/** Counts what quotas limit: when a quota changes, when something that it counts is deleted, and every five minutes. */
export const createController = defineController({
  name: 'resourcequota-controller',
  for: RESOURCE_QUOTAS,
  workers: 5,
  deps: ({ client, informers, catalogue }): QuotaDeps => ({ client, followed: new FollowedCollections(informers, catalogue) }),
  when: (quota, _, old) =>
    old === undefined || !semanticEqual(quota.spec, old.spec) || !semanticEqual(quota.status?.hard, old.status?.hard),
  watch({ followed }, keys, quotas) {
    followed.onLess((namespace) => quotas.list(namespace), keys)
  },
  reconcile: reconcileQuota,
})

async function reconcileQuota({ client, followed }: QuotaDeps, quota: ResourceQuota): Promise<{ requeueAfterMs: number }> {
  const counted = await followed.countedBy(quota)
  await writeStatus(client, RESOURCE_QUOTAS, quota, quotaStatus(quota, counted))
  return { requeueAfterMs: RESYNC_MS }
}

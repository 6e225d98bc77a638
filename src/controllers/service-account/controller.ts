import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { NAMESPACES, SERVICE_ACCOUNTS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'

/** Sees to it that every namespace has the service account `default`. */
export function createServiceAccountController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const namespaces = informers.of(NAMESPACES)
  const accounts = informers.of(SERVICE_ACCOUNTS)
  const consider = (ns: KubeObject) => queue.add(ns.metadata.name ?? '')
  namespaces.addHandler({ added: consider, updated: consider })
  accounts.addHandler({
    deleted: (account) => {
      if (account.metadata.name === 'default') queue.add(account.metadata.namespace ?? '')
    },
  })

  async function reconcile(namespace: string): Promise<void> {
    const ns = namespaces.get(namespace)
    if (ns === undefined || ns.status?.phase === 'Terminating' || accounts.get(`${namespace}/default`) !== undefined) return
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }
    await client.create({ ...SERVICE_ACCOUNTS, namespace }, account).catch((error) => {
      if (!isStatus(error, 'AlreadyExists', 'NotFound', 'Forbidden')) throw error
    })
  }

  return queueController({ name: 'service-account', queue, workers: 8, copies: [namespaces, accounts], reconcile, log })
}

import type { KubeObject } from '../../machinery/object.ts'
import { qualifiedResource } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import { NAMESPACES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Catalogue } from '../frame/catalogue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { isEmpty, type NamespaceContent, namespaceConditions } from './plan.ts'

/** How long until a namespace with content left is looked at again. */
const RETRY_MS = 250

/** Empties namespaces that are being deleted, and lets them go when nothing is left. */
export function createNamespaceController(deps: ControllerDeps, catalogue: Catalogue): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const namespaces = informers.of(NAMESPACES)
  const consider = (ns: KubeObject) => {
    if (ns.metadata.deletionTimestamp !== undefined) queue.add(ns.metadata.name ?? '')
  }
  namespaces.addHandler({ added: consider, updated: consider })

  async function reconcile(name: string): Promise<{ requeueAfterMs: number } | undefined> {
    const ns = namespaces.get(name)
    if (ns?.metadata.deletionTimestamp === undefined || !ns.spec?.finalizers?.includes('kubernetes')) return undefined
    if (ns.status?.phase !== 'Terminating') {
      await client.patch({ ...NAMESPACES, name, subresource: 'status' }, 'merge', { status: { phase: 'Terminating' } })
    }
    const content = await empty(name, await catalogue.namespaced())
    if (!isEmpty(content)) {
      await client.patch({ ...NAMESPACES, name, subresource: 'status' }, 'merge', {
        status: { conditions: namespaceConditions(ns, content, clock.now()).map((c) => ({ ...c })) },
      })
      return { requeueAfterMs: RETRY_MS }
    }
    const finalizers = (ns.spec.finalizers as string[]).filter((f) => f !== 'kubernetes')
    const done = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers } }
    await client.update({ ...NAMESPACES, name, subresource: 'finalize' }, done as KubeObject).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
    return undefined
  }

  /** Deletes everything in the namespace, and tells what is left. */
  async function empty(namespace: string, resources: readonly ResourceRef[]): Promise<NamespaceContent> {
    const remaining = new Map<string, number>()
    const finalizers = new Map<string, number>()
    const errors: string[] = []
    for (const ref of resources) {
      try {
        let list = await client.list({ ...ref, namespace })
        if (list.items.length === 0) continue
        await client.deleteCollection({ ...ref, namespace }, { propagationPolicy: 'Background' })
        list = await client.list({ ...ref, namespace })
        if (list.items.length > 0)
          remaining.set(`${qualifiedResource(ref)}.`.replace(/\.$/, ref.group === '' ? '.' : ''), list.items.length)
        for (const item of list.items) for (const f of item.metadata.finalizers ?? []) finalizers.set(f, (finalizers.get(f) ?? 0) + 1)
      } catch (error) {
        if (isStatus(error, 'NotFound', 'MethodNotAllowed')) continue
        errors.push(error instanceof Error ? error.message : String(error))
      }
    }
    return { remaining, finalizers, errors }
  }

  return queueController({ name: 'namespace', queue, workers: 4, copies: [namespaces], reconcile, log })
}

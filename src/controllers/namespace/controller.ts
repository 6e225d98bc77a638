import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { NAMESPACES, PODS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Catalogue } from '../frame/catalogue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { deleteContent } from './content.ts'
import { type NamespaceContent, namespaceConditions, planNamespace, retryInMs } from './plan.ts'

const TOKEN = 'kubernetes'

/** Empties namespaces that are being deleted, pods first, and lets them go when nothing is left. `contentClient`: who deletes what is in them. */
export function createNamespaceController(deps: ControllerDeps, catalogue: Catalogue, contentClient = deps.client): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const namespaces = informers.of(NAMESPACES)
  /** How often each was looked at in vain. */
  const attempts = new Map<string, number>()
  const consider = (ns: KubeObject) => {
    if (isEnding(ns)) queue.add(ns.metadata.name ?? '')
  }
  namespaces.addHandler({ added: consider, updated: consider, deleted: (ns) => void attempts.delete(ns.metadata.name ?? '') })
  informers.of(PODS).addHandler({
    deleted(pod) {
      const ns = namespaces.get(pod.metadata.namespace ?? '')
      if (ns !== undefined) consider(ns)
    },
  })

  async function reconcile(name: string): Promise<{ requeueAfterMs: number } | undefined> {
    const ns = namespaces.get(name)
    if (ns === undefined || !isEnding(ns)) return undefined
    if (ns.status?.phase !== 'Terminating') await writeStatus(name, { phase: 'Terminating' })
    const content = await deleteContent(contentClient, name, await catalogue.discover())
    await report(ns, content)
    const plan = planNamespace(content)
    if (plan.kind === 'retry') throw new Error(plan.why)
    if (plan.kind === 'finalize') return finalize(ns)
    const attempt = attempts.get(name) ?? 0
    attempts.set(name, attempt + 1)
    return { requeueAfterMs: retryInMs(attempt) }
  }

  async function report(ns: KubeObject, content: NamespaceContent): Promise<void> {
    const conditions = namespaceConditions(ns, content, clock.now())
    if (semanticEqual(conditions, ns.status?.conditions)) return
    await writeStatus(ns.metadata.name ?? '', { conditions: conditions.map((c) => ({ ...c })) })
  }

  const writeStatus = (name: string, status: { phase: string } | { conditions: { [field: string]: string }[] }) =>
    client.patch({ ...NAMESPACES, name, subresource: 'status' }, 'merge', { status }).catch(ignoreGone)

  async function finalize(ns: KubeObject): Promise<undefined> {
    const finalizers: readonly string[] = ns.spec?.finalizers ?? []
    if (!finalizers.includes(TOKEN)) return
    const { resourceVersion: _, ...metadata } = ns.metadata
    const name = metadata.name ?? ''
    const done: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers: finalizers.filter((f) => f !== TOKEN) } }
    await client.update({ ...NAMESPACES, name, subresource: 'finalize' }, done).catch(ignoreGone)
  }

  return queueController({ name: 'namespace', queue, workers: 4, copies: [namespaces], reconcile, log })
}

/** Being deleted, and not yet let go of by everybody. */
const isEnding = (ns: KubeObject) => ns.metadata.deletionTimestamp !== undefined && (ns.spec?.finalizers ?? []).length > 0

const ignoreGone = (error: unknown): undefined => {
  if (!isStatus(error, 'NotFound')) throw error
}

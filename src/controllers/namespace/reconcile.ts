import type { Clock } from '../../base/clock.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { NAMESPACES } from '../../resources/refs.ts'
import type { Namespace } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { Catalogue } from '../frame/catalogue.ts'
import { targetOf } from '../frame/objects.ts'
import { deleteContent } from './content.ts'
import { isTerminating, type NamespaceContent, namespaceConditions, planNamespace, retryInMs } from './plan.ts'

/** What a namespace is reconciled with. */
export interface NamespaceDeps {
  readonly client: Client
  /** Deletes what is in the namespace. */
  readonly contentClient: Client
  readonly clock: Clock
  readonly catalogue: Catalogue
  /** How many rounds of each namespace, by name, found content left. */
  readonly attempts: Map<string, number>
}

/** The namespace's own finalizer. */
const FINALIZER = 'kubernetes'

export async function reconcileNamespace(deps: NamespaceDeps, namespace: Namespace): Promise<ReconcileResult> {
  const { client, contentClient, clock, catalogue, attempts } = deps
  const { name = '' } = namespace.metadata
  if (!isTerminating(namespace)) return undefined
  if (namespace.status?.phase !== 'Terminating') await patchStatus(client, namespace, { phase: 'Terminating' })
  const elapsedMs = clock.now() - Date.parse(namespace.metadata.deletionTimestamp ?? '')
  const content = await deleteContent(contentClient, { name, elapsedMs }, await catalogue.discover())
  await report(deps, namespace, content)
  const plan = planNamespace(content)
  switch (plan.kind) {
    case 'retry':
      throw new Error(plan.why)
    case 'finalize':
      await finalize(client, namespace)
      return undefined
    case 'wait': {
      const attempt = attempts.get(name) ?? 0
      attempts.set(name, attempt + 1)
      return { requeueAfterMs: retryInMs(attempt) }
    }
  }
}

async function report({ client, clock }: NamespaceDeps, namespace: Namespace, content: NamespaceContent): Promise<void> {
  const conditions = namespaceConditions(namespace, content, clock.now())
  if (semanticEqual(conditions, namespace.status?.conditions)) return
  await patchStatus(client, namespace, { conditions: conditions.map((c) => ({ ...c })) })
}

const patchStatus = (client: Client, namespace: Namespace, status: JsonObject) =>
  client.patch({ ...targetOf(NAMESPACES, namespace), subresource: 'status' }, 'merge', { status }).catch(ignoring('NotFound'))

async function finalize(client: Client, namespace: Namespace): Promise<void> {
  const finalizers = namespace.spec?.finalizers ?? []
  if (!finalizers.includes(FINALIZER)) return
  const { resourceVersion: _, ...metadata } = namespace.metadata
  const done: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers: finalizers.filter((f) => f !== FINALIZER) } }
  const target = { ...targetOf(NAMESPACES, namespace), subresource: 'finalize' }
  await client.update<Namespace>(target, done).catch(ignoring('NotFound'))
}

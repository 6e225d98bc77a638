import { semanticEqual } from '../../machinery/equal.ts'
import { type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { ResourceRef, Target } from '../../sdk/client/client.ts'
import { POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { goSelector } from '../frame/go-selector.ts'
import { controllerOf } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { selectsByLabels } from '../pods/ownership.ts'
import { failedStatus, goesByScale, planBudget } from './plan.ts'

const NAME = 'disruption'

/** Keeps the count by which evictions are granted. */
export function createDisruptionController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const budgets = informers.of(POD_DISRUPTION_BUDGETS)
  const pods = informers.of(PODS)
  const events = deps.recorder('controllermanager')
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  budgets.addHandler({ added: enqueue, updated: enqueue })
  const changed = (pod: KubeObject) => {
    for (const budget of budgets.list(pod.metadata.namespace ?? '')) if (selectsByLabels(budget, pod)) enqueue(budget)
  }
  pods.addHandler({
    added: changed,
    updated(pod, old) {
      changed(pod)
      if (pod.metadata.labels !== old.metadata.labels) changed(old)
    },
    deleted: changed,
  })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const budget = budgets.get(key)
    if (budget === undefined) return undefined
    const { namespace = '', name = '' } = budget.metadata
    const selected = pods.list(namespace).filter((p) => selectsByLabels(budget, p))
    if (selected.length === 0)
      events.record({ regarding: referenceTo(budget), type: 'Normal', reason: 'NoPods', message: 'No matching pods found' })
    const status = await statusOf(budget, selected)
    if (status !== undefined && !semanticEqual(status, budget.status)) {
      await client.update({ ...POD_DISRUPTION_BUDGETS, namespace, name, subresource: 'status' }, { ...budget, status }).catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
      })
    }
    return budget.status?.disruptedPods === undefined ? undefined : { requeueAfterMs: 120_000 }
  }

  async function statusOf(budget: KubeObject, selected: readonly KubeObject[]): Promise<KubeObject['status'] | undefined> {
    const warn = (reason: string, message: string) => events.record({ regarding: referenceTo(budget), type: 'Warning', reason, message })
    try {
      if (goesByScale(budget) && selected.some((pod) => controllerOf(pod) === undefined)) warn('UnmanagedPods', unmanaged(budget))
      const expected = goesByScale(budget) ? await expectedScale(selected) : 0
      return planBudget({ budget, pods: selected, expectedScale: expected }, clock.now())
    } catch (error) {
      if (!(error instanceof NoScale)) throw error
      warn('CalculateExpectedPodCountFailed', `Failed to calculate the number of expected pods: ${error.message}`)
      return failedStatus(budget, error.message, clock.now())
    }
  }

  /** How many pods the controllers of these pods want, each asked once. */
  async function expectedScale(selected: readonly KubeObject[]): Promise<number> {
    const scales = new Map<string, number>()
    for (const pod of selected) {
      const direct = controllerOf(pod)
      if (direct === undefined || scales.has(direct.uid)) continue
      const namespace = pod.metadata.namespace ?? ''
      const set = direct.kind === 'ReplicaSet' ? informers.of(REPLICA_SETS).get(`${namespace}/${direct.name}`) : undefined
      const owner = (set && controllerOf(set)) ?? direct
      if (!scales.has(owner.uid)) scales.set(owner.uid, (await scaleOf(namespace, owner)) ?? 0)
    }
    return [...scales.values()].reduce((a, b) => a + b, 0)
  }

  async function scaleOf(namespace: string, owner: { apiVersion: string; kind: string; name: string }): Promise<number | undefined> {
    const gv = parseApiVersion(owner.apiVersion)
    const entry = gv && (await deps.catalogue.ofKind(gv.group, owner.kind))
    if (entry === undefined) return undefined
    const standing = informers.peek(entry)?.get(`${namespace}/${owner.name}`)
    if (standing !== undefined && typeof standing.spec?.replicas === 'number') return standing.spec.replicas
    try {
      const { group, version, resource } = entry
      return (await client.get({ group, version, resource, namespace, name: owner.name, subresource: 'scale' })).spec?.replicas ?? 0
    } catch (error) {
      if (!isStatus(error)) throw error
      if (isStatus(error, 'NotFound') && (await exists({ ...entry, namespace, name: owner.name }))) throw new NoScale(entry)
      return undefined
    }
  }

  async function exists(target: Target): Promise<boolean> {
    try {
      await client.get(target)
      return true
    } catch (error) {
      if (!isStatus(error)) throw error
      return false
    }
  }

  return queueController({ name: NAME, queue, copies: [budgets, pods], reconcile, log })
}

/** The pods' controller says nowhere how many it wants. */
class NoScale extends Error {
  override readonly name = 'NoScale'
  constructor({ group, resource }: ResourceRef) {
    super(`${resource}${group === '' ? '' : `.${group}`} does not implement the scale subresource`)
  }
}

const unmanaged = (budget: KubeObject): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${goSelector(budget.spec?.selector ?? undefined)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`

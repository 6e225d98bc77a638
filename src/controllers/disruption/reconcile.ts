import type { Clock } from '../../base/clock.ts'
import type { OwnerReference } from '../../machinery/object.ts'
import { goSelector } from '../../machinery/selectors/go-selector.ts'
import { POD_DISRUPTION_BUDGETS } from '../../resources/refs.ts'
import type { ReplicaSet } from '../../resources/types/apps.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../resources/types/policy.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { controllerOf } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { writeStatus } from '../frame/write-status.ts'
import { selectsByLabels } from '../pods/ownership.ts'
import { failedStatus, goesByScale, planBudget } from './plan.ts'
import { NoScale, type ScaleDeps, scaleOf } from './scale.ts'

/** What a PodDisruptionBudget is reconciled with. */
export interface BudgetDeps extends ScaleDeps {
  readonly clock: Clock
  readonly events: ObjectEvents
  readonly pods: Informer<Pod>
  readonly replicaSets: Informer<ReplicaSet>
}

/** As long as a granted eviction counts. */
const RECHECK_MS = 120_000

export async function reconcileBudget(deps: BudgetDeps, budget: PodDisruptionBudget): Promise<ReconcileResult> {
  const { client, events, pods } = deps
  const selected = pods.list(budget.metadata.namespace ?? '').filter((p) => selectsByLabels(budget, p))
  if (selected.length === 0) events.normal(budget, 'NoPods', 'No matching pods found')
  const status = await statusOf(deps, budget, selected)
  if (status !== undefined) await writeStatus(client, POD_DISRUPTION_BUDGETS, budget, status)
  return budget.status?.disruptedPods === undefined ? undefined : { requeueAfterMs: RECHECK_MS }
}

async function statusOf(
  deps: BudgetDeps,
  budget: PodDisruptionBudget,
  selected: readonly Pod[],
): Promise<PodDisruptionBudgetStatus | undefined> {
  const { clock, events } = deps
  const byScale = goesByScale(budget)
  if (byScale && selected.some((pod) => controllerOf(pod) === undefined)) events.warning(budget, 'UnmanagedPods', unmanaged(budget))
  try {
    const scale = byScale ? await expectedScale(deps, selected) : 0
    return planBudget({ budget, pods: selected, expectedScale: scale }, clock.now())
  } catch (error) {
    if (!(error instanceof NoScale)) throw error
    const message = `Failed to calculate the number of expected pods: ${error.message}`
    events.warning(budget, 'CalculateExpectedPodCountFailed', message)
    return failedStatus(budget, error.message, clock.now())
  }
}

/**
 * The total of the desired replicas of these pods' controllers; each controller is read once.
 * @throws {NoScale} for a controller that does not exist
 */
async function expectedScale(deps: BudgetDeps, selected: readonly Pod[]): Promise<number> {
  const scales = new Map<string, number>()
  for (const pod of selected) {
    const direct = controllerOf(pod)
    if (direct === undefined || scales.has(direct.uid)) continue
    const namespace = pod.metadata.namespace ?? ''
    const owner = deploymentOf(deps, namespace, direct) ?? direct
    if (scales.has(owner.uid)) continue
    const own = await scaleOf(deps, namespace, owner)
    const scale = own ?? (owner === direct ? undefined : await scaleOf(deps, namespace, direct))
    if (scale === undefined) throw new NoScale(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`)
    scales.set(own === undefined ? direct.uid : owner.uid, scale)
  }
  return [...scales.values()].reduce((a, b) => a + b, 0)
}

/** The Deployment of a ReplicaSet. Other controllers of a ReplicaSet do not count. */
function deploymentOf({ replicaSets }: BudgetDeps, namespace: string, direct: OwnerReference): OwnerReference | undefined {
  const set = direct.kind === 'ReplicaSet' ? replicaSets.get(`${namespace}/${direct.name}`) : undefined
  const above = set?.metadata.uid === direct.uid ? set && controllerOf(set) : undefined
  return above?.kind === 'Deployment' ? above : undefined
}

const unmanaged = ({ spec }: PodDisruptionBudget): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${goSelector(spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`

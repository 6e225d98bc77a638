import { timestamp } from '../../base/clock.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { parseApiVersion } from '../../machinery/object.ts'
import { type CompiledLabelSelector, parseLabelSelector, SelectorError } from '../../machinery/selectors/label-selector.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { HpaSpec } from '../../resources/autoscaling/hpa-types.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import { HORIZONTAL_POD_AUTOSCALERS, PODS } from '../../sdk/client/refs.ts'
import { type EventType, referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { type HpaStatus, withCondition } from './autoscaler-status.ts'
import { MetricError, propose } from './metric-proposals.ts'
import { createMetricsSource, type MetricsSource, noMatch } from './metrics-source.ts'
import { ambiguity, joinProposals, type PlannedCondition, planSize, planWithoutMetrics, tolerances } from './plan.ts'
import { ScalingHistory } from './scaling-history.ts'
import { SelectorIndex } from './selector-index.ts'

const NAME = 'horizontal-pod-autoscaler'
/** How often each autoscaler looks, and how long a new one waits: kube-controller-manager's default. */
const PERIOD_MS = 15_000

/** Why a pass over an autoscaler ends early: said in an event and a condition, and tried again in the next period. */
class PassEnded extends Error {
  override readonly name = 'PassEnded'
}

/** Sets the size of whatever has a scale, by what is measured of its pods. */
export function createHorizontalAutoscaler(deps: ControllerDeps, source: MetricsSource = createMetricsSource(deps)): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const autoscalers = informers.of(HORIZONTAL_POD_AUTOSCALERS)
  const pods = informers.of(PODS)
  const events = deps.recorder(NAME)
  const histories = new Map<string, ScalingHistory>()
  const selectors = new SelectorIndex()
  const consider = (hpa: KubeObject) => queue.addAfter(objectKey(hpa), PERIOD_MS)
  autoscalers.addHandler({
    added: consider,
    updated: consider,
    deleted(hpa) {
      histories.delete(objectKey(hpa))
      selectors.delete(objectKey(hpa))
    },
  })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const hpa = autoscalers.get(key)
    if (hpa === undefined) return undefined
    const pass = new Pass(hpa)
    try {
      await look(pass, key)
    } catch (error) {
      if (!(error instanceof PassEnded)) throw error
      log.debug('an autoscaler could do nothing', { autoscaler: key, reason: error.message })
    }
    await write(pass)
    return { requeueAfterMs: PERIOD_MS }
  }

  /** One look at one autoscaler: what is to be written of it, and what is said. */
  class Pass {
    readonly hpa: KubeObject
    readonly spec: HpaSpec
    status: HpaStatus
    constructor(hpa: KubeObject) {
      this.hpa = hpa
      this.spec = hpa.spec ?? {}
      this.status = { ...hpa.status }
    }

    get namespace(): string {
      return this.hpa.metadata.namespace ?? ''
    }

    say(type: EventType, reason: string, message: string): void {
      events.record({ regarding: referenceTo(this.hpa), type, reason, message })
    }

    set(condition: PlannedCondition): void {
      this.status.conditions = withCondition(this.status.conditions, condition, timestamp(clock.now()))
    }

    /** Replicas and metrics as they are now; what is wished stays. */
    found(currentReplicas: number, desiredReplicas: number, metrics: HpaStatus['currentMetrics'], scaled = false): void {
      this.status = {
        ...(this.status.lastScaleTime !== undefined && { lastScaleTime: this.status.lastScaleTime }),
        ...(scaled && { lastScaleTime: timestamp(clock.now()) }),
        ...(currentReplicas !== 0 && { currentReplicas }),
        desiredReplicas,
        currentMetrics: metrics ?? null,
        ...(this.status.conditions && { conditions: this.status.conditions }),
      }
    }
  }

  async function look(pass: Pass, key: string): Promise<void> {
    const { spec, namespace } = pass
    const { ref, scale, selector } = await readScale(pass)
    pass.set({
      type: 'AbleToScale',
      status: 'True',
      reason: 'SucceededGetScale',
      message: "the HPA controller was able to get the target's current scale",
    })
    const current: number = scale.spec?.replicas ?? 0
    const nowMs = clock.now()
    const history = histories.get(key) ?? new ScalingHistory(current, nowMs)
    histories.set(key, history)

    let plan = planWithoutMetrics(spec, current)
    let metrics: HpaStatus['currentMetrics'] = null
    if (plan === undefined) {
      const found = podsOf(pass, key, { scale, selector })
      const specs = spec.metrics ?? []
      const scene = {
        namespace,
        ...found,
        specReplicas: current,
        statusReplicas: Number(scale.status?.replicas ?? 0),
        tolerance: tolerances(spec),
        nowMs,
      }
      const proposals = await Promise.all(specs.map((metric) => propose(metric, scene, source).catch(metricError)))
      for (const p of proposals) if (p instanceof MetricError) pass.say('Warning', p.reason, p.message)
      const verdict = joinProposals(specs, proposals, current)
      metrics = [...verdict.statuses]
      pass.set(verdict.condition)
      if (verdict.replicas === undefined) {
        pass.found(current, pass.status.desiredReplicas ?? 0, metrics)
        pass.say('Warning', 'FailedComputeMetricsReplicas', verdict.fault ?? '')
        return
      }
      plan = planSize(spec, current, { replicas: verdict.replicas, name: verdict.name }, history, nowMs)
    }
    for (const condition of plan.conditions) pass.set(condition)
    if (plan.reason === '') return pass.found(current, current, metrics)
    await resize(pass, { ref, scale, current, metrics, history, ...plan })
  }

  async function resize(
    pass: Pass,
    wish: {
      readonly ref: ResourceRef
      readonly scale: KubeObject
      readonly current: number
      readonly replicas: number
      readonly reason: string
      readonly metrics: HpaStatus['currentMetrics']
      readonly history: ScalingHistory
    },
  ): Promise<void> {
    const { ref, scale, current, replicas, reason, metrics, history } = wish
    const target = { ...ref, namespace: pass.namespace, name: scale.metadata.name ?? '', subresource: 'scale' }
    try {
      await client.update(target, { ...scale, spec: { ...scale.spec, replicas } })
    } catch (error) {
      if (!isStatus(error)) throw error
      pass.say('Warning', 'FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${error.message}`)
      const message = `the HPA controller was unable to update the target scale: ${error.message}`
      pass.set({ type: 'AbleToScale', status: 'False', reason: 'FailedUpdateScale', message })
      return pass.found(current, pass.status.desiredReplicas ?? 0, metrics)
    }
    const message = `the HPA controller was able to update the target scale to ${replicas}`
    pass.set({ type: 'AbleToScale', status: 'True', reason: 'SucceededRescale', message })
    pass.say('Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`)
    history.changed(replicas - current, clock.now())
    pass.found(current, replicas, metrics, true)
  }

  /** The target's scale, and its selector; undefined where it has none. */
  async function readScale(pass: Pass): Promise<{ ref: ResourceRef; scale: KubeObject; selector: CompiledLabelSelector | undefined }> {
    const { apiVersion = '', kind = '', name = '' } = pass.spec.scaleTargetRef ?? {}
    try {
      const gv = parseApiVersion(apiVersion)
      if (gv === undefined) throw new PassEnded(`unexpected GroupVersion string: ${apiVersion}`)
      const entry = await deps.catalogue.ofKind(gv.group, kind)
      if (entry === undefined) throw new PassEnded(noMatch(gv.group, kind))
      const { group, version, resource } = entry
      const ref = { group, version, resource }
      const scale = await client.get({ ...ref, namespace: pass.namespace, name, subresource: 'scale' })
      return { ref, scale, selector: selectorOf(scale) }
    } catch (error) {
      if (!(error instanceof PassEnded) && !isStatus(error)) throw error
      pass.say('Warning', 'FailedGetScale', error.message)
      const message = `the HPA controller was unable to get the target's current scale: ${error.message}`
      pass.set({ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale', message })
      throw new PassEnded(error.message)
    }
  }

  /** The pods that its scale selects, when no other autoscaler's does. */
  function podsOf(
    pass: Pass,
    key: string,
    { scale, selector: compiled }: { readonly scale: KubeObject; readonly selector: CompiledLabelSelector | undefined },
  ): { selector: string; pods: KubeObject[] } {
    const { namespace } = pass
    const inactive = (reason: string, message: string, conditionReason = reason, said = message) => {
      pass.say('Warning', reason, said)
      pass.set({ type: 'ScalingActive', status: 'False', reason: conditionReason, message })
      pass.found(Number(scale.spec?.replicas ?? 0), pass.status.desiredReplicas ?? 0, null)
      pass.say('Warning', 'FailedComputeMetricsReplicas', said)
      return new PassEnded(said)
    }
    if (compiled === undefined)
      throw inactive('SelectorRequired', "the HPA target's scale is missing a selector", 'InvalidSelector', 'selector is required')
    selectors.set(key, namespace, compiled)
    const selector = String(scale.status?.selector)
    const found = pods.list(namespace).filter((pod) => compiled.matches(pod.metadata.labels))
    const problem = ambiguity(selector, found, (pod) => selectors.matching(pod))
    if (problem !== undefined) throw inactive('AmbiguousSelector', problem)
    return { selector, pods: found }
  }

  async function write(pass: Pass): Promise<void> {
    const { hpa, status, namespace } = pass
    if (semanticEqual(hpa.status ?? {}, status)) return
    try {
      await client.update(
        { ...HORIZONTAL_POD_AUTOSCALERS, namespace, name: hpa.metadata.name ?? '', subresource: 'status' },
        { ...hpa, status },
      )
    } catch (error) {
      if (isStatus(error, 'NotFound')) return
      if (isStatus(error)) pass.say('Warning', 'FailedUpdateStatus', error.message)
      throw error
    }
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [autoscalers, pods], reconcile, log })
}

const metricError = (error: unknown): MetricError => {
  if (error instanceof MetricError) return error
  throw error
}

/** @throws {PassEnded} for one that cannot be read: such a scale counts as none */
function selectorOf(scale: KubeObject): CompiledLabelSelector | undefined {
  const text = String(scale.status?.selector ?? '')
  try {
    return text === '' ? undefined : parseLabelSelector(text)
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    const cause = `couldn't parse the selector string ${JSON.stringify(text)}: ${error.message}`
    throw new PassEnded(
      `received an object from a /scale endpoint which was not convertible to autoscaling Scale: failed to parse target selector: ${cause}`,
    )
  }
}

import { parseQuantity } from '../../../machinery/quantity.ts'
import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import type { ResizePodRequest } from '../../types/admit-handler.ts'
import type { Kill } from '../plan/plan-pod.ts'
import { containerResources } from '../spec/resolve-resources.ts'
import type { PodStep } from './pod-step.ts'

/** Allocates the resources of the spec, or records why they have to wait. True if they were allocated. */
export function decideResize(step: PodStep): boolean {
  const { deps, state } = step
  const { pod, resize } = state
  if (!resize.wanted(pod)) {
    if (resize.state.kind === 'pending') resize.state = { kind: 'none' }
    return false
  }
  const resizeRefusal = deps.resizeRefusal(pod, resize.asAllocated(pod))
  if (!resize.decide(pod, resizeRefusal)) return false
  if (resizeRefusal === undefined) notify(step, 'Normal', 'ResizeStarted', `Pod resize started: ${resize.report(pod)}`)
  else {
    const said = `Pod resize ${resizeRefusal.word ?? `OutOf${resizeRefusal.resource}`}: ${resize.report(pod, resizeRefusal.message)}`
    notify(step, 'Warning', `Resize${resizeRefusal.kind}`, said)
  }
  return resizeRefusal === undefined
}

/** Starts the actuation of a new allocation; it is complete if no running container is affected. */
export function beginResize(step: PodStep): void {
  const { pod, resize, records } = step.state
  if (resize.begin(pod, (name) => records.find((r) => r.container.name === name)?.state.kind === 'running')) reportCompleted(step)
}

/** The containers that have to restart for their new resources. */
export function resizeRestarts({ state }: PodStep): readonly Kill[] {
  return state.resize.actuations(state.pod).flatMap(({ name, restart }): readonly Kill[] => {
    const record = state.records.find((r) => r.container.name === name)
    if (!restart || record?.state.kind !== 'running') return []
    state.resize.done(name)
    return [{ record, because: 'changed', message: `Container ${name} resize requires restart` }]
  })
}

/** Retry delay after the runtime refused new resources. */
const RETRY_MS = 1000

/** Retry delay after new resources were found to be impossible for now: the middle of the kubelet's 10 to 15 s. */
const LATER_MS = 12_500

const RESOURCES = ['memory', 'cpu'] as const

/** Updates the resources in the runtime: first memory, then processors. The pod's group grows before its containers, and shrinks after. */
export async function actuateResize(step: PodStep, signal: AbortSignal): Promise<void> {
  const { state, deps } = step
  const fault = await memoryFault(step, signal)
  if (fault !== undefined) {
    state.wakeAt(deps.clock.now() + LATER_MS)
    if (state.resize.failed(state.pod, fault)) reportError(step, fault)
    return
  }
  try {
    for (const resource of RESOURCES) {
      await resizeGroup(step, { resource, direction: 'up' }, signal)
      await updateContainers(step, resource, signal)
      await resizeGroup(step, { resource, direction: 'down' }, signal)
    }
    // What is left is nothing that the runtime knows of.
    for (const { name } of state.resize.actuations(state.pod)) state.resize.done(name)
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    state.wakeAt(deps.clock.now() + RETRY_MS)
    if (!state.resize.failed(state.pod, error.message)) return
    reportError(step, error.message)
    state.again()
  }
}

async function updateContainers({ deps, state }: PodStep, resource: 'memory' | 'cpu', signal: AbortSignal): Promise<void> {
  const pod = state.resize.asAllocated(state.pod)
  for (const { name, resources } of state.resize.actuationsOf(state.pod, resource)) {
    const record = state.records.find((r) => r.container.name === name)
    if (record?.state.kind === 'running') {
      const amounts = deps.completeResources(pod, { ...record.container, resources }, containerResources({ resources }))
      await deps.runtime.updateResources(record.state.id, amounts, signal)
    }
    state.resize.done(name, resource)
  }
}

/** Brings the pod's group to the amounts that are allocated. */
async function resizeGroup(
  { deps, state }: PodStep,
  way: Pick<ResizePodRequest, 'resource' | 'direction'>,
  signal: AbortSignal,
): Promise<void> {
  const sandboxId = state.runtime.sandboxes[0]?.id
  if (sandboxId !== undefined) await deps.resizePod({ pod: state.resize.asAllocated(state.pod), sandboxId, ...way }, signal)
}

/** Containers that restart find the pod's group large enough. */
export async function growGroup(step: PodStep, signal: AbortSignal): Promise<void> {
  if (step.state.resize.state.kind !== 'in-progress') return
  for (const resource of RESOURCES) await resizeGroup(step, { resource, direction: 'up' }, signal)
}

async function memoryFault({ deps, state }: PodStep, signal: AbortSignal): Promise<string | undefined> {
  const limits = new Map<string, number>()
  for (const { name, resources } of state.resize.actuationsOf(state.pod, 'memory')) {
    const [to, from] = [resources, state.resize.actuated(name)].map((r) => parseQuantity(r?.limits?.memory ?? '0').value())
    if (to && from && to < from) limits.set(name, to)
  }
  return limits.size === 0 ? undefined : deps.memoryFault(state.pod, limits, signal)
}

const reportError = (step: PodStep, fault: string) =>
  notify(step, 'Warning', 'ResizeError', `Pod resize error: ${step.state.resize.report(step.state.pod, fault)}`)

/** Completes the resize when everything is actuated. As in the kubelet, that of a pod which is to end meanwhile stays in progress. */
export async function finishResize(step: PodStep, signal: AbortSignal): Promise<void> {
  const { pod, resize, deleting, gone, termination } = step.state
  if (deleting || gone || termination !== undefined) return
  if (resize.state.kind !== 'in-progress' || resize.actuations(pod).length > 0) return
  for (const resource of RESOURCES) await resizeGroup(step, { resource, direction: 'down' }, signal)
  if (!resize.finish(pod)) return
  reportCompleted(step)
  step.state.again()
}

const reportCompleted = (step: PodStep) =>
  notify(step, 'Normal', 'ResizeCompleted', `Pod resize completed: ${step.state.resize.report(step.state.pod)}`)

function notify({ deps, state }: PodStep, type: 'Normal' | 'Warning', reason: string, message: string): void {
  deps.events.record({ regarding: referenceTo(state.pod), type, reason, message })
}

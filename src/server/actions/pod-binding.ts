import type { Action, EffectRequest, Review, ServerTools } from '../../apiserver/extension-points.ts'
import { failedPrecondition } from '../../apiserver/store/uid-precondition.ts'
import { timestamp } from '../../base/clock.ts'
import type { Draft, KubeObject } from '../../machinery/object.ts'
import { badRequest, conflict, notFound, StatusError } from '../../machinery/status-error.ts'
import { readObject } from '../../resources/read-objects.ts'
import { NODES, PODS } from '../../resources/refs.ts'
import type { Binding, Node, Pod, PodCondition, PodStatus } from '../../resources/types/core.ts'
import type { NodeBookings } from '../allocation/node-bookings.ts'
import { overbooked } from '../allocation/overbooked.ts'

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

/**
 * The two ways to bind a pod to a node: `bindPod` is POST pods/NAME/binding, `bindings` is POST bindings, the older one.
 * @param bookings refuses bindings that exceed a node's capacity; without it that is left to the scheduler, as in Kubernetes
 */
export function podBinding(bookings?: NodeBookings): { readonly bindPod: Action<Binding>; readonly bindings: Review<Binding> } {
  return {
    async bindPod(request, tools) {
      if (request.input.metadata.name !== request.name) throw badRequest('name in URL does not match name in Binding object')
      return bind(request.name, request, tools, bookings)
    },
    bindings: (request, tools) => bind(request.input.metadata.name ?? '', request, tools, bookings),
  }
}

async function bind(
  name: string,
  request: EffectRequest<Binding>,
  tools: ServerTools,
  bookings: NodeBookings | undefined,
): Promise<KubeObject> {
  const { input, namespace, dryRun } = request
  checkTarget(input)
  await request.admit()
  if (name === '') throw badRequest('Name parameter required.')
  if (readObject(tools.reader, PODS, namespace, name) === undefined) throw notFound(PODS, name)
  const now = timestamp(tools.clock.now())
  const node = input.target.name ?? ''
  const update = (room: (pod: Pod) => void) =>
    tools.store.guaranteedUpdate(
      { ...PODS, namespace, name },
      (pod) => {
        checkUnbound(pod, input, dryRun)
        room(pod)
        assign(pod, input, now)
      },
      { dryRun, draftOf: boundDraft },
    )
  const bound =
    bookings === undefined
      ? await update(() => {})
      : await bookings.alone(node, () => update((pod) => checkRoom(pod, readObject(tools.reader, NODES, '', node), bookings)))
  if (!dryRun) request.stored?.(bound)
  return SUCCESS
}

/** A node without an object has no known capacity: the binding is accepted, as in Kubernetes. */
function checkRoom(pod: Pod, node: Node | undefined, bookings: NodeBookings): void {
  const name = node?.metadata.name ?? ''
  const faults = node === undefined ? [] : overbooked(pod, node, bookings.on(name))
  if (faults.length > 0) throw refused(pod.metadata.name ?? '', `node ${JSON.stringify(name)} has no room for it: ${faults.join('; ')}`)
}

/** Kubernetes responds to these two with plain text and 500; two faults are in brackets. */
function checkTarget({ target }: Binding): void {
  const faults: string[] = []
  const { kind, name } = target ?? {}
  if (kind !== undefined && kind !== '' && kind !== 'Node')
    faults.push(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`)
  if (!name) faults.push('target.name: Required value')
  const [first, ...more] = faults
  if (first !== undefined) throw new StatusError({ code: 500, message: more.length === 0 ? first : `[${faults.join(', ')}]` })
}

function checkUnbound(pod: Pod, binding: Binding, dryRun: boolean): void {
  const name = pod.metadata.name ?? ''
  const { metadata } = binding
  // A dry run does not reach the layer of Kubernetes that adds the prefix.
  const key = `${dryRun ? '' : '/registry'}/pods/${pod.metadata.namespace}/${name}`
  for (const [field, given, standing = ''] of [
    ['UID', metadata.uid, pod.metadata.uid],
    ['ResourceVersion', metadata.resourceVersion, pod.metadata.resourceVersion],
  ] as const)
    if (given && given !== standing) throw failedPrecondition(PODS, name, { field, key, given, standing })
  if (pod.metadata.deletionTimestamp !== undefined) throw refused(name, `pod ${name} is being deleted, cannot be assigned to a host`)
  if (pod.spec?.nodeName) throw refused(name, `pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`)
  if ((pod.spec?.schedulingGates ?? []).length > 0) throw refused(name, `pod ${name} has non-empty .spec.schedulingGates`)
}

/** A draft for a binding: `assign` sets fields of these three, and changes nothing below them. */
const boundDraft = (pod: Draft<Pod>): Draft<Pod> => ({ ...pod, metadata: { ...pod.metadata }, spec: { ...pod.spec } })

function assign(pod: Draft<Pod>, binding: Binding, now: string): void {
  const { annotations, labels } = binding.metadata
  pod.spec.nodeName = binding.target.name ?? ''
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations }
  if (labels) pod.metadata.labels = { ...pod.metadata.labels, ...labels }
  // A nomination ends with the binding (KEP-5278).
  const { nominatedNodeName: _, ...status }: Draft<PodStatus> = pod.status ?? {}
  pod.status = { ...status, conditions: scheduled(pod, now) }
}

const refused = (name: string, why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why)

function scheduled(pod: Draft<Pod>, now: string): Draft<PodCondition>[] {
  const conditions = pod.status?.conditions ?? []
  const old = conditions.find((c) => c.type === 'PodScheduled')
  const since = old?.status === 'True' ? old.lastTransitionTime : now
  const condition: PodCondition = { type: 'PodScheduled', status: 'True', lastTransitionTime: since ?? now }
  return old === undefined ? [...conditions, condition] : conditions.map((c) => (c === old ? condition : c))
}

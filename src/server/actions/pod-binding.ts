import type { Action, EffectRequest, Review, ServerTools } from '../../apiserver/extension-points.ts'
import { uidPrecondition } from '../../apiserver/store/uid-precondition.ts'
import { timestamp } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { badRequest, conflict, notFound, StatusError } from '../../machinery/status-error.ts'

const PODS = { group: '', resource: 'pods' }
const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as unknown as KubeObject

/** POST pods/NAME/binding: puts a pod on a node. */
export const bindPod: Action = async (request, tools) => {
  if (request.input.metadata.name !== request.name) throw badRequest('name in URL does not match name in Binding object')
  return bind(request.name, request, tools)
}

/** POST bindings: the same, the older way. */
export const bindings: Review = (request, tools) => bind(request.input.metadata.name ?? '', request, tools)

async function bind(name: string, request: EffectRequest, tools: ServerTools): Promise<KubeObject> {
  const { input, namespace, dryRun } = request
  checkTarget(input)
  await request.admit()
  if (tools.reader.get('', 'pods', namespace, name) === undefined) throw notFound(PODS, name)
  const now = timestamp(tools.clock.now())
  await tools.store.guaranteedUpdate({ ...PODS, namespace, name }, (pod) => assign(pod, input, now), { dryRun })
  return SUCCESS
}

/** Kubernetes answers these two with its raw text and 500. */
function checkTarget(binding: KubeObject): void {
  const fault = (message: string) => new StatusError({ code: 500, message })
  const kind: unknown = binding.target?.kind
  if (kind !== undefined && kind !== '' && kind !== 'Node') {
    throw fault(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`)
  }
  if (!binding.target?.name) throw fault('target.name: Required value')
}

function assign(pod: KubeObject, binding: KubeObject, now: string): void {
  const name = pod.metadata.name ?? ''
  const { uid, resourceVersion, annotations, labels } = binding.metadata
  if (uid && uid !== pod.metadata.uid)
    throw uidPrecondition(PODS, name, {
      key: `/registry/pods/${pod.metadata.namespace}/${name}`,
      given: uid,
      standing: pod.metadata.uid ?? '',
    })
  if (resourceVersion && resourceVersion !== pod.metadata.resourceVersion) throw refused(name, 'the object has been modified')
  if (pod.metadata.deletionTimestamp !== undefined) throw refused(name, `pod ${name} is being deleted, cannot be assigned to a host`)
  if (pod.spec?.nodeName) throw refused(name, `pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`)
  if ((pod.spec?.schedulingGates ?? []).length > 0) throw refused(name, `pod ${name} has non-empty .spec.schedulingGates`)
  pod.spec.nodeName = binding.target.name
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations }
  if (labels) pod.metadata.labels = { ...labels, ...pod.metadata.labels }
  // What was hoped for is there (KEP-5278).
  const { nominatedNodeName: _, ...status } = pod.status ?? {}
  pod.status = { ...status, conditions: scheduled(pod, now) }
}

const refused = (name: string, why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why)

function scheduled(pod: KubeObject, now: string): unknown[] {
  const conditions: { type: string; status: string; lastTransitionTime?: string }[] = pod.status?.conditions ?? []
  const old = conditions.find((c) => c.type === 'PodScheduled')
  const since = old?.status === 'True' ? old.lastTransitionTime : now
  const condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: since ?? now }
  return old === undefined ? [...conditions, condition] : conditions.map((c) => (c === old ? condition : c))
}

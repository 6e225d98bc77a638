import { timestamp } from '../../../base/clock.ts'
import { encodeJson } from '../../../machinery/json/strict-json.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { Pod } from '../../types/pod.ts'
import type { Handler } from '../api-request.ts'
import type { KubeletHost } from '../kubelet-host.ts'
import { json } from '../kubelet-response.ts'

const list = (items: readonly JsonObject[]) =>
  json(`${encodeJson({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: items.length === 0 ? null : items })}\n`)

/** `/pods`: the pods that are bound to the node, in any phase. */
export const podList =
  (host: KubeletHost): Handler =>
  () =>
    list(host.pods().map(asSeen))

/** The kubelet adds annotations with the time and the source of a pod, and shows the metadata as it first saw them. */
function asSeen(pod: Pod): JsonObject {
  const { apiVersion: _a, kind: _k, metadata, ...rest } = pod as unknown as JsonObject & { metadata: JsonObject }
  const { annotations = {}, managedFields = [] } = metadata as { annotations?: JsonObject; managedFields?: readonly JsonObject[] }
  const madeMs = Date.parse(String(metadata.creationTimestamp))
  const seen = {
    ...(!Number.isNaN(madeMs) && { 'kubernetes.io/config.seen': timestamp(madeMs) }),
    'kubernetes.io/config.source': 'api',
  }
  const first = managedFields.filter((entry) => entry.subresource === undefined)
  return {
    metadata: { ...metadata, annotations: { ...seen, ...annotations }, ...(first.length > 0 && { managedFields: [...first] }) },
    ...rest,
  }
}

interface Running {
  readonly metadata: JsonObject
  readonly containers: JsonObject[]
}

/** `/runningpods/`: the pods of the runtime, with what a runtime knows of them. */
export const runningPods =
  ({ runtime }: KubeletHost): Handler =>
  async ({ signal }) => {
    const [sandboxes, containers] = await Promise.all([runtime.sandboxes({}, signal), runtime.containers({}, signal)])
    const pods = new Map<string, Running>()
    const of = ({ name, namespace, uid }: { name: string; namespace: string; uid: string }): Running => {
      const known = pods.get(uid) ?? { metadata: { name, namespace, uid }, containers: [] }
      pods.set(uid, known)
      return known
    }
    for (const sandbox of sandboxes) if (sandbox.state === 'ready') of(sandbox.pod)
    for (const container of containers)
      if (container.state === 'running')
        of(container.pod).containers.unshift({ name: container.name, image: container.image.name, resources: {} })
    const items = [...pods.values()].map((pod) => ({
      metadata: pod.metadata,
      spec: { containers: pod.containers.length === 0 ? null : pod.containers },
      status: {},
    }))
    return list(items)
  }

import type { Connector, ConnectTools } from '../../apiserver/extension-points.ts'
import { parseFlag, parseInt64 } from '../../apiserver/request/go-values.ts'
import type { Query } from '../../apiserver/request/query.ts'
import { type FieldError, forbidden, invalid } from '../../machinery/field-error.ts'
import { TimeError } from '../../machinery/go/time-error.ts'
import { canonicalTime } from '../../machinery/schema/go-time.ts'
import { badRequest, invalidObject, notFound } from '../../machinery/status-error.ts'
import { readObject } from '../../resources/read-objects.ts'
import { NODES } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import { webSocketReader } from '../../streaming/web-socket-reader.ts'

/** `v1 PodLogOptions`. */
export interface PodLogOptions {
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly sinceSeconds: number | undefined
  readonly sinceTime: string | undefined
  readonly tailLines: number | undefined
  readonly limitBytes: number | undefined
  readonly stream: string | undefined
}

/** Parses the options of `pods/NAME/log`. Throws 400 for invalid ones. */
export function podLogOptions(query: Query): PodLogOptions {
  const integer = (name: string) => {
    const text = query.get(name)
    return text === undefined || text === '' ? undefined : parseInt64(text)
  }
  return {
    container: query.get('container') ?? '',
    follow: parseFlag(query.get('follow')),
    previous: parseFlag(query.get('previous')),
    timestamps: parseFlag(query.get('timestamps')),
    sinceSeconds: integer('sinceSeconds'),
    sinceTime: time(query.get('sinceTime')),
    tailLines: integer('tailLines'),
    limitBytes: integer('limitBytes'),
    stream: query.get('stream'),
  }
}

function time(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  try {
    return canonicalTime(text)
  } catch (error) {
    if (error instanceof TimeError) throw badRequest(error.message)
    throw error
  }
}

/** Validates the options. */
export function podLogFaults(o: PodLogOptions): FieldError[] {
  const faults: FieldError[] = []
  if (o.tailLines !== undefined && o.tailLines < 0) faults.push(invalid('tailLines', o.tailLines, 'must be greater than or equal to 0'))
  if (o.limitBytes !== undefined && o.limitBytes < 1) faults.push(invalid('limitBytes', o.limitBytes, 'must be greater than 0'))
  if (o.sinceSeconds !== undefined && o.sinceTime !== undefined) {
    faults.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  } else if (o.sinceSeconds !== undefined && o.sinceSeconds < 1)
    faults.push(invalid('sinceSeconds', o.sinceSeconds, 'must be greater than 0'))
  if (o.stream !== undefined) faults.push(forbidden('stream', 'may not be specified'))
  return faults
}

/** GET pods/NAME/log: validates options, pod and container; `fromNode` reads the log from the node. */
export const podLog =
  (fromNode: Connector<Pod> | undefined): Connector<Pod> =>
  async (request, answer, tools) => {
    const options = podLogOptions(request.query)
    const faults = podLogFaults(options)
    if (faults.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, request.name, faults)
    const pod = tools.object()
    checkContainer(pod, options.container)
    if (pod.spec?.nodeName) onKnownNode(pod, tools)
    const reader = webSocketReader(request, answer)
    const to = reader ?? answer
    if (pod.spec?.nodeName && fromNode !== undefined) await fromNode(request, to, tools)
    else {
      to.start(reader === undefined ? 204 : 200, {})
      to.end()
    }
    await reader?.closed
  }

/** Throws 404 if the pod's node does not exist; as in Kubernetes, the message has the node's name in place of the pod's. */
export function onKnownNode(pod: Pod, { reader }: Pick<ConnectTools, 'reader'>): void {
  const name = pod.spec.nodeName ?? ''
  if (readObject(reader, NODES, '', name) === undefined) throw notFound({ group: '', resource: 'pods' }, name)
}

/** A pod with several app containers requires a container name. */
export function checkContainer(pod: Pod, requested: string): void {
  const name = pod.metadata.name ?? ''
  const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec
  const all = [...initContainers, ...containers, ...ephemeralContainers].map((c) => c.name)
  if (requested !== '') {
    if (!all.includes(requested)) throw badRequest(`container ${requested} is not valid for pod ${name}`)
    return
  }
  if (containers.length === 1) return
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
}

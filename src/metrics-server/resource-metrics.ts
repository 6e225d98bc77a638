import { type Clock, timestamp } from '../base/clock.ts'
import type { JsonObject, KubeObject } from '../machinery/object.ts'
import { Quantity } from '../machinery/quantity.ts'
import { notFound, StatusError } from '../machinery/status-error.ts'
import { listObjects, readObject } from '../resources/read-objects.ts'
import { NODES, PODS } from '../resources/refs.ts'
import type { Node, Pod } from '../resources/types/core.ts'
import type { ApiQuestion, ApiResponse, GroupApi } from './group-api.ts'
import { Measurement } from './measure.ts'
import { RESOURCE_METRICS_OPENAPI } from './openapi.ts'
import { ScriptError } from './script.ts'
import type { Find } from './scripted-object.ts'
import { selectionOf } from './selection.ts'

const GROUP = 'metrics.k8s.io'
const API_VERSION = `${GROUP}/v1beta1`
/** The window of a measurement: metrics-server's default. */
export const WINDOW_SECONDS = 15
const WINDOW = `${WINDOW_SECONDS}s`
/** As many pods are named whose annotations cannot be read. */
const MOST_WARNINGS = 10

export interface MetricsDeps {
  readonly find: Find
  readonly clock: Clock
  /** Whether a node of this name is simulated here: the usage of other nodes is unknown. */
  readonly simulated: (nodeName: string) => boolean
}

/** What pods and nodes are shown with. */
interface Row {
  readonly name: string
  readonly cpu: Quantity
  readonly memory: Quantity
  readonly object: JsonObject
}

/** `metrics.k8s.io/v1beta1`: what pods and nodes use. */
export function resourceMetrics(deps: MetricsDeps): GroupApi {
  const { find, clock } = deps
  const moment = () => new Measurement({ ...deps, nowMs: clock.now() })
  const running = (at: Measurement, namespace: string) => listObjects(find.reader, PODS, namespace).filter((pod) => at.isMeasured(pod))

  function podRow(pod: Pod, at: Measurement): Row {
    const usage = at.usage(pod)
    const containers = usage.map(({ name, cpu, memory }) => ({ name, usage: { cpu: cpu.toString(), memory: memory.toString() } }))
    return { ...summed(pod.metadata.name ?? '', usage), object: { ...head('PodMetrics', pod, clock.now()), containers } }
  }

  function nodeRow(node: Node, pods: readonly Pod[], at: Measurement): Row {
    const used = summed(
      node.metadata.name ?? '',
      pods.flatMap((pod) => readable(() => at.usage(pod)) ?? []),
    )
    const usage = { cpu: used.cpu.toString(), memory: used.memory.toString() }
    return { ...used, object: { ...head('NodeMetrics', node, clock.now()), usage } }
  }

  function onePod(namespace: string, name: string, question: ApiQuestion): ApiResponse {
    const at = moment()
    const pod = readObject(find.reader, PODS, namespace, name)
    if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, name)
    if (!at.isMeasured(pod)) throw notFound({ group: GROUP, resource: 'podmetrics' }, `${namespace}/${name}`)
    try {
      return one(podRow(pod, at), question)
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error
      throw new StatusError({ code: 500, reason: 'InternalError', message: error.message, cause: error })
    }
  }

  function manyPods(namespace: string, question: ApiQuestion): ApiResponse {
    const wanted = selectionOf(question.query)
    const at = moment()
    const warnings: string[] = []
    const warn = (text: string) => warnings.length < MOST_WARNINGS && warnings.push(text)
    // One pod's annotation is no reason to keep the others' figures back.
    const rows = listObjects(find.reader, PODS, namespace).flatMap((pod) =>
      wanted(pod) && at.isMeasured(pod) ? (readable(() => podRow(pod, at), warn) ?? []) : [],
    )
    return { ...many('PodMetricsList', rows, question), warnings }
  }

  const isMeasured = (node: Node) => deps.simulated(node.metadata.name ?? '') && isReady(node)

  function oneNode(name: string, question: ApiQuestion): ApiResponse {
    const at = moment()
    const node = readObject(find.reader, NODES, '', name)
    if (node === undefined) throw notFound({ group: '', resource: 'nodes' }, name)
    if (!isMeasured(node)) throw notFound({ group: GROUP, resource: 'nodemetrics' }, name)
    const pods = running(at, '').filter((pod) => pod.spec.nodeName === name)
    return one(nodeRow(node, pods, at), question)
  }

  function manyNodes(question: ApiQuestion): ApiResponse {
    const wanted = selectionOf(question.query)
    const at = moment()
    const byNode = Map.groupBy(running(at, ''), (pod) => pod.spec.nodeName ?? '')
    const nodes = listObjects(find.reader, NODES).filter((node) => isMeasured(node) && wanted(node))
    const rows = nodes.map((node) => nodeRow(node, byNode.get(node.metadata.name ?? '') ?? [], at))
    return many('NodeMetricsList', rows, question)
  }

  return {
    group: GROUP,
    version: 'v1beta1',
    openapi: RESOURCE_METRICS_OPENAPI,
    resources: () => [
      { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
      { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
    ],
    get(question) {
      const [first, second, third, name, more] = question.path
      if (first === 'nodes' && third === undefined) return second === undefined ? manyNodes(question) : oneNode(second, question)
      if (first === 'pods' && second === undefined) return manyPods('', question)
      if (first !== 'namespaces' || second === undefined || third !== 'pods' || more !== undefined) return undefined
      return name === undefined ? manyPods(second, question) : onePod(second, name, question)
    },
  }
}

function head(kind: string, of: KubeObject, nowMs: number): JsonObject {
  const { name = '', namespace, labels } = of.metadata
  const at = timestamp(nowMs)
  const metadata = { name, ...(namespace !== undefined && { namespace }), creationTimestamp: at, ...(labels !== undefined && { labels }) }
  return { kind, apiVersion: API_VERSION, metadata, timestamp: at, window: WINDOW }
}

function summed(name: string, usage: readonly { readonly cpu: Quantity; readonly memory: Quantity }[]): Omit<Row, 'object'> {
  const sum = (of: 'cpu' | 'memory') => usage.reduce((all, one) => all.add(one[of]), Quantity.zero)
  return { name, cpu: sum('cpu'), memory: sum('memory') }
}

/** Undefined where a script cannot be read. */
function readable<T>(read: () => T, warn: (text: string) => void = () => {}): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    warn(error.message)
    return undefined
  }
}

const isReady = (node: Node): boolean => (node.status?.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'True')

const one = (row: Row, { wantsTable }: ApiQuestion): ApiResponse => ({ value: wantsTable ? table([row]) : row.object })

const many = (kind: string, rows: readonly Row[], { wantsTable }: ApiQuestion): ApiResponse => ({
  value: wantsTable ? table(rows) : { kind, apiVersion: API_VERSION, metadata: {}, items: rows.map(({ object }) => asItem(object)) },
})

/** Items of typed lists do not repeat what they are. */
const asItem = ({ kind: _kind, apiVersion: _apiVersion, ...item }: JsonObject): JsonObject => item

const column = (name: string, format: string, description = '') => ({ name, type: 'string', format, description, priority: 0 })

/** As metrics-server prints it: no columns where there are no rows. */
function table(rows: readonly Row[]): JsonObject {
  const columns = [column('Name', 'name', 'Name of the resource'), column('cpu', 'quantity'), column('memory', 'quantity')]
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    columnDefinitions: rows.length === 0 ? [] : [...columns, column('Window', 'duration')],
    rows: rows.map(({ name, cpu, memory, object: { metadata = {} } }) => ({
      cells: [name, cpu.toString(), memory.toString(), WINDOW],
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
    })),
  }
}

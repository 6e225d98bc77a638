import { equalJson } from '../../machinery/equal.ts'
import type { LabelSet } from '../../machinery/selectors/label-matcher.ts'
import type { Node, Taint } from '../../resources/types/core.ts'
import { amountOf } from './amounts.ts'
import { CarriedTerms, type PodCounter, PodCounters } from './pod-counters.ts'
import type { PodInfo } from './pod-info.ts'
import { Topology, type TopologyColumn } from './topology.ts'

const NO_LABELS: LabelSet = Object.freeze({})
const FIRST_ROWS = 64

/**
 * The scheduler's state of the cluster: one row a node, one typed column a fact. A row outlives its node while pods are on it. Every change
 * of a row is written to a log, so that data derived from rows can be updated by the changes.
 */
export class NodeTable {
  /** Nodes that exist. */
  count = 0
  /** How many of them are cordoned. */
  cordoned = 0
  /** Rows in use are below this. */
  rows = 0
  /** Grows when columns were replaced or added: arrays held elsewhere must be read again. */
  layout = 0
  /** Grows when a node came or went. */
  membership = 0
  /** Grows when some node's list of images changed. */
  imageEpoch = 0

  readonly names: (string | undefined)[] = []
  readonly nodes: (Readonly<Node> | undefined)[] = []
  readonly labels: (LabelSet | undefined)[] = []
  readonly pods: Set<PodInfo>[] = []
  alive = new Uint8Array(FIRST_ROWS)
  unschedulable = new Uint8Array(FIRST_ROWS)
  /** Which of `taintSets` a node has; 0 is none. */
  taintSet = new Int32Array(FIRST_ROWS)
  allowedPods = new Float64Array(FIRST_ROWS)
  podCount = new Int32Array(FIRST_ROWS)
  scoredCpu = new Float64Array(FIRST_ROWS)
  scoredMemory = new Float64Array(FIRST_ROWS)
  readonly taintSets: (readonly Taint[])[] = [[]]
  readonly resourceIds = new Map<string, number>()
  readonly allocatable: Float64Array[] = []
  readonly used: Float64Array[] = []
  readonly carried = new CarriedTerms(FIRST_ROWS)

  readonly #rowOf = new Map<string, number>()
  readonly #taintSetIds = new Map<string, number>([['[]', 0]])
  readonly #free: number[] = []
  readonly #counters = new PodCounters(FIRST_ROWS)
  readonly #topology = new Topology(FIRST_ROWS)
  readonly #images = new Map<string, { size: number; rows: Set<number> }>()
  #log = new Int32Array(1 << 14)
  #logEnd = 0
  #regrouped = 0
  #namesNow: readonly (string | undefined)[] | undefined

  constructor() {
    for (const name of ['cpu', 'memory', 'ephemeral-storage']) this.#resource(name)
  }

  /** The row of a node that exists or has pods. */
  rowOf(name: string): number | undefined {
    return this.#rowOf.get(name)
  }

  /** Keeps a newer version in which no fact has changed, so that the old one can be freed. */
  replaceNode(node: Readonly<Node>): void {
    const row = this.#rowOf.get(node.metadata.name ?? '')
    if (row !== undefined && this.nodes[row] !== undefined) this.nodes[row] = node
  }

  setNode(node: Readonly<Node>): void {
    const name = node.metadata.name ?? ''
    const row = this.#row(name)
    const old = this.nodes[row]
    if (old === undefined) {
      this.count++
      this.membership++
    }
    this.alive[row] = 1
    this.nodes[row] = node
    this.labels[row] = node.metadata.labels ?? NO_LABELS
    this.#setCordoned(row, node.spec?.unschedulable === true)
    this.taintSet[row] = this.#taintSetId(node.spec?.taints ?? [])
    this.#topology.update(row, this.labels[row])
    this.#setAllocatable(row, node)
    this.#setImages(row, old, node)
    this.#touch(row)
  }

  removeNode(name: string): void {
    const row = this.#rowOf.get(name)
    const old = row === undefined ? undefined : this.nodes[row]
    if (row === undefined || old === undefined) return
    this.count--
    this.membership++
    this.alive[row] = 0
    this.nodes[row] = undefined
    this.labels[row] = undefined
    this.taintSet[row] = 0
    this.#setCordoned(row, false)
    this.allowedPods[row] = 0
    for (const column of this.allocatable) column[row] = 0
    this.#topology.update(row, undefined)
    this.#setImages(row, old, undefined)
    this.#touch(row)
    this.#releaseIfEmpty(row)
  }

  /** Counts a pod on a node, which need not exist yet. */
  addPod(pod: PodInfo, nodeName: string): void {
    const row = this.#row(nodeName)
    this.pods[row]?.add(pod)
    this.#count(row, pod, 1)
  }

  /** Another info of a pod that is counted there, and weighs the same. */
  replacePod(old: PodInfo, pod: PodInfo, nodeName: string): void {
    const row = this.#rowOf.get(nodeName)
    const pods = row === undefined ? undefined : this.pods[row]
    if (pods?.delete(old)) pods.add(pod)
  }

  removePod(pod: PodInfo, nodeName: string): void {
    const row = this.#rowOf.get(nodeName)
    if (row === undefined || !this.pods[row]?.delete(pod)) return
    this.#count(row, pod, -1)
    this.#releaseIfEmpty(row)
  }

  /** The column of a resource that some node has; undefined for one that none has. */
  resourceId(name: string): number | undefined {
    return this.resourceIds.get(name)
  }

  topology(key: string): TopologyColumn {
    return this.#topology.column(key, this.labels)
  }

  /** A column that counts pods with a property; the key must identify the property. */
  counter(key: string, takes: (pod: PodInfo) => boolean): PodCounter {
    return this.#counters.get(key, takes, this.pods)
  }

  /** LabelSet of namespaces changed: forgets what was counted by them. */
  namespacesChanged(): void {
    this.#counters.clear()
    this.#regrouped++
  }

  /** Grows with every change: what was decided at one version may not be carried out at another without a second look. */
  get version(): number {
    return this.#logEnd + this.#regrouped
  }

  /** The current names of the rows: one copy, shared until a row is reused. Read-only. */
  namesNow(): readonly (string | undefined)[] {
    this.#namesNow ??= [...this.names]
    return this.#namesNow
  }

  /** The nodes that have an image, and its size. */
  image(name: string): { readonly size: number; readonly rows: ReadonlySet<number> } | undefined {
    return this.#images.get(name)
  }

  get logEnd(): number {
    return this.#logEnd
  }

  /** The rows changed since `position`, with repetitions; undefined when the log does not reach back so far. */
  forEachTouched(position: number, visit: (row: number) => void): boolean {
    const size = this.#log.length
    if (this.#logEnd - position > size || this.#logEnd - position > this.rows) return false
    for (let at = position; at < this.#logEnd; at++) visit(this.#log[at & (size - 1)] ?? 0)
    return true
  }

  #touch(row: number): void {
    this.#log[this.#logEnd++ & (this.#log.length - 1)] = row
  }

  #count(row: number, pod: PodInfo, by: 1 | -1): void {
    this.podCount[row] = (this.podCount[row] ?? 0) + by
    this.scoredCpu[row] = (this.scoredCpu[row] ?? 0) + by * pod.scoredCpu
    this.scoredMemory[row] = (this.scoredMemory[row] ?? 0) + by * pod.scoredMemory
    for (const { name, amount } of pod.requests) {
      const id = this.resourceIds.get(name)
      const column = id === undefined ? undefined : this.used[id]
      if (column !== undefined) column[row] = (column[row] ?? 0) + by * amount
    }
    this.#counters.count(row, pod, by)
    this.carried.count(row, pod, by)
    this.#touch(row)
  }

  #row(name: string): number {
    const known = this.#rowOf.get(name)
    if (known !== undefined) return known
    const row = this.#free.pop() ?? this.rows++
    if (this.rows > this.alive.length) this.#grow(this.alive.length * 2)
    this.#rowOf.set(name, row)
    this.names[row] = name
    this.#namesNow = undefined
    this.pods[row] = new Set()
    return row
  }

  #releaseIfEmpty(row: number): void {
    const name = this.names[row]
    if (name === undefined || this.alive[row] === 1 || (this.pods[row]?.size ?? 0) > 0) return
    this.#rowOf.delete(name)
    this.names[row] = undefined
    this.#namesNow = undefined
    this.#free.push(row)
  }

  #grow(rows: number): void {
    const grownFloats = (column: Float64Array) => {
      const larger = new Float64Array(rows)
      larger.set(column)
      return larger
    }
    const bytes = (column: Uint8Array) => {
      const larger = new Uint8Array(rows)
      larger.set(column)
      return larger
    }
    const integers = (column: Int32Array) => {
      const larger = new Int32Array(rows)
      larger.set(column)
      return larger
    }
    this.alive = bytes(this.alive)
    this.unschedulable = bytes(this.unschedulable)
    this.taintSet = integers(this.taintSet)
    this.podCount = integers(this.podCount)
    this.allowedPods = grownFloats(this.allowedPods)
    this.scoredCpu = grownFloats(this.scoredCpu)
    this.scoredMemory = grownFloats(this.scoredMemory)
    for (let id = 0; id < this.allocatable.length; id++) {
      this.allocatable[id] = grownFloats(this.allocatable[id] ?? new Float64Array())
      this.used[id] = grownFloats(this.used[id] ?? new Float64Array())
    }
    this.#counters.grow(rows)
    this.carried.grow(rows)
    this.#topology.grow(rows)
    this.layout++
  }

  /** The column of a resource, created when a node first has it and filled from the existing pods. */
  #resource(name: string): number {
    const known = this.resourceIds.get(name)
    if (known !== undefined) return known
    const id = this.allocatable.length
    const used = new Float64Array(this.alive.length)
    for (let row = 0; row < this.rows; row++) {
      for (const pod of this.pods[row] ?? []) {
        for (const request of pod.requests) if (request.name === name) used[row] = (used[row] ?? 0) + request.amount
      }
    }
    this.allocatable.push(new Float64Array(this.alive.length))
    this.used.push(used)
    this.resourceIds.set(name, id)
    this.layout++
    return id
  }

  #setAllocatable(row: number, node: Readonly<Node>): void {
    const list = node.status?.allocatable ?? {}
    this.allowedPods[row] = Object.hasOwn(list, 'pods') ? amountOf('pods', list.pods ?? 0) : 0
    for (const column of this.allocatable) column[row] = 0
    for (const [name, quantity] of Object.entries(list)) {
      if (name === 'pods') continue
      const column = this.allocatable[this.#resource(name)]
      if (column !== undefined) column[row] = amountOf(name, quantity)
    }
  }

  #setCordoned(row: number, cordoned: boolean): void {
    this.cordoned += (cordoned ? 1 : 0) - (this.unschedulable[row] ?? 0)
    this.unschedulable[row] = cordoned ? 1 : 0
  }

  #taintSetId(taints: readonly Taint[]): number {
    const key = JSON.stringify(taints.map((t) => [t.key, t.value ?? '', t.effect]))
    let id = this.#taintSetIds.get(key)
    if (id === undefined) {
      id = this.taintSets.push(taints) - 1
      this.#taintSetIds.set(key, id)
    }
    return id
  }

  #setImages(row: number, old: Readonly<Node> | undefined, node: Readonly<Node> | undefined): void {
    if (equalJson(old?.status?.images ?? [], node?.status?.images ?? [])) return
    this.imageEpoch++
    for (const image of old?.status?.images ?? []) {
      for (const name of image.names ?? []) {
        const state = this.#images.get(name)
        state?.rows.delete(row)
        if (state?.rows.size === 0) this.#images.delete(name)
      }
    }
    for (const image of node?.status?.images ?? []) {
      for (const name of image.names ?? []) {
        const state = this.#images.get(name)
        if (state === undefined) this.#images.set(name, { size: image.sizeBytes ?? 0, rows: new Set([row]) })
        else state.rows.add(row)
      }
    }
  }
}

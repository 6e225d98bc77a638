/** The messages of the page's WebSocket, as JSON text. `id` is the browser's: a subscription, and every message about it. */

/** A collection, as discovery names it; `''` is the core group. */
export interface CollectionName {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** An object; its namespace is `''` if it is the cluster's own. */
export interface ObjectName extends CollectionName {
  readonly namespace: string
  readonly name: string
}

/** A window of the rows of a collection. */
export interface RowsQuery extends CollectionName {
  /** `''`: all namespaces. */
  readonly namespace: string
  /** kubectl's notation, evaluated by the API server. */
  readonly labelSelector: string
  readonly fieldSelector: string
  /** Only rows that contain each of these words. */
  readonly filter: string
  /** The index of the column; -1: by namespace and name. */
  readonly sort: number
  readonly descending: boolean
  readonly from: number
  readonly count: number
}

/** Which side wins where the editor and somebody else changed the same field; `id` is the conflict's. */
export interface ConflictChoice {
  readonly id: string
  readonly keep: 'mine' | 'theirs'
}

/** What is typed in the editor of an object. */
export interface Draft extends ObjectName {
  /** The text that the editor began with. */
  readonly base: string
  readonly text: string
  readonly choices: readonly ConflictChoice[]
  /** Counts the browser's questions: an answer tells which of them it answers. */
  readonly serial: number
}

/** An object of a custom kind that is tried. */
export interface BenchDraft {
  /** The name of the CustomResourceDefinition. */
  readonly definition: string
  /** `''`: begin with an example. */
  readonly text: string
  readonly serial: number
}

/** What can be done with a cluster as a whole. */
export type LabAction =
  | { readonly kind: 'fork' }
  | { readonly kind: 'drop'; readonly name: string }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'snapshot' }

/** From the browser. A second message with an `id` in use replaces the subscription. */
export type ClientMessage =
  | { readonly type: 'rows'; readonly id: number; readonly query: RowsQuery }
  | { readonly type: 'object'; readonly id: number; readonly object: ObjectName }
  | { readonly type: 'relations'; readonly id: number; readonly object: ObjectName }
  | { readonly type: 'kinds'; readonly id: number }
  | { readonly type: 'overview'; readonly id: number }
  | { readonly type: 'find'; readonly id: number; readonly text: string }
  | { readonly type: 'why'; readonly id: number; readonly object: ObjectName }
  | { readonly type: 'machine'; readonly id: number; readonly object: ObjectName }
  | { readonly type: 'logs'; readonly id: number; readonly object: ObjectName; readonly container: string; readonly previous: boolean }
  | { readonly type: 'shell'; readonly id: number; readonly object: ObjectName; readonly container: string }
  /** A line for the shell of this id. */
  | { readonly type: 'line'; readonly id: number; readonly line: string }
  | { readonly type: 'bench'; readonly id: number; readonly draft: BenchDraft }
  /** `serial`: another one asks again. */
  | { readonly type: 'lab'; readonly id: number; readonly serial: number }
  | { readonly type: 'lab-call'; readonly id: number; readonly action: LabAction }
  /** A change that the scheduler proposes for a pod, in its words: on a fork, or on the cluster. */
  | { readonly type: 'try'; readonly id: number; readonly object: ObjectName; readonly change: string }
  | { readonly type: 'change'; readonly id: number; readonly object: ObjectName; readonly change: string }
  | { readonly type: 'draft'; readonly id: number; readonly draft: Draft }
  | { readonly type: 'save'; readonly id: number; readonly draft: Draft }
  | { readonly type: 'cancel'; readonly id: number }

/** How an object does: `bad` needs somebody, `busy` is on its way, `done` has ended as it should. */
export type Tone = '' | 'bad' | 'busy' | 'done'

/** A cell; a number in a column of type `time` is milliseconds since the Unix epoch. */
export type Cell = string | number | boolean | null

export interface ColumnHead {
  readonly name: string
  readonly type: 'text' | 'number' | 'time'
  readonly description: string
  /** Shown only where there is room. */
  readonly wide: boolean
}

export type WireRow = readonly [uid: string, namespace: string, name: string, tone: Tone, cells: readonly Cell[]]

export interface RowPage {
  readonly kind: string
  readonly namespaced: boolean
  readonly columns: readonly ColumnHead[]
  readonly rows: readonly WireRow[]
  /** The index of the first row. */
  readonly from: number
  /** How many rows the filter leaves, of how many that are known. */
  readonly matched: number
  readonly total: number
  /** The list is still being read. */
  readonly loading: boolean
  /** Why the rows may be old: the list or the watch failed, and is tried again. */
  readonly problem: string
}

/**
 * A line of YAML. `owners` are indexes of the managers that own the field that begins here; `change` is the index of the change in the
 * object's history that set it, or -1.
 */
export type YamlLine = readonly [indent: number, text: string, owners: readonly number[], change: number]

/** Who set fields, by `metadata.managedFields`. */
export interface FieldManager {
  readonly manager: string
  readonly operation: string
  readonly subresource: string
  /** Milliseconds since the Unix epoch; 0 if it is not recorded. */
  readonly timeMs: number
}

export interface ObjectPage {
  readonly kind: string
  readonly uid: string
  readonly tone: Tone
  /** Why it is not well, in one sentence; or what it is doing. */
  readonly health: string
  readonly createdMs: number
  readonly managers: readonly FieldManager[]
  readonly lines: readonly YamlLine[]
  /** Lines beyond the bound, which are not sent. */
  readonly unsent: number
  readonly events: readonly ObjectEvent[]
  /** The latest first; null where requests are not recorded. */
  readonly history: readonly HistoryEntry[] | null
  /** Of a RequestTrail. */
  readonly trail: TrailPage | null
  /** Of a ControllerReport. */
  readonly controller: ControllerPage | null
  /** It is gone; what is shown is its last state. */
  readonly deleted: boolean
  readonly problem: string
}

/** A change of an object, and the request that made it. */
export interface HistoryEntry {
  readonly revision: string
  readonly change: 'created' | 'changed' | 'deleted' | 'unknown'
  /** The name of its trail; `''`: it is not recorded, or no longer kept. So are the following fields. */
  readonly request: string
  readonly timeMs: number
  readonly user: string
  readonly verb: string
  readonly manager: string
  /** Values as JSON; `''`: there was none. */
  readonly fields: readonly { readonly path: string; readonly from: string; readonly to: string }[]
  readonly unlisted: number
}

/** A line of a request's way through the server. */
export interface TrailLine {
  readonly name: string
  readonly what: string
  readonly tone: Tone
  /** 1: a part of the line above it. */
  readonly depth: 0 | 1
  /** From the arrival of the request, in milliseconds; null where it was not measured. */
  readonly startMs: number | null
  readonly tookMs: number | null
  /** `spec.replicas: 2 → 3` */
  readonly changes: readonly string[]
}

/** Another request; `''`: it is no longer kept. */
export interface TrailLink {
  readonly request: string
  readonly controller: string
  readonly what: string
}

/** A request: who, what, and its way through the server. */
export interface TrailPage {
  readonly summary: string
  readonly user: string
  readonly userAgent: string
  readonly receivedMs: number
  /** 0: not answered yet. */
  readonly code: number
  readonly tone: Tone
  readonly message: string
  /** Null while it runs. */
  readonly tookMs: number | null
  readonly target: ObjectName | null
  readonly lines: readonly TrailLine[]
  /** The request whose change led to it, and who acted. */
  readonly cause: TrailLink | null
  /** What controllers wrote because of it. */
  readonly caused: readonly TrailLink[]
}

/** An event of the object. */
export interface ObjectEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly source: string
  readonly count: number
  readonly lastMs: number
}

export interface KindEntry extends CollectionName {
  readonly kind: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
}

/** How many objects a kind has, and how many of them are not well. */
export interface KindCount extends KindEntry {
  readonly count: number
  readonly bad: number
}

/** An object and how it does, where no columns are shown. */
export interface ObjectSummary extends ObjectName {
  readonly kind: string
  readonly tone: Tone
  readonly health: string
}

export interface ObjectChange extends ObjectSummary {
  readonly change: 'created' | 'changed' | 'deleted'
  readonly timeMs: number
}

export interface ClusterWarning extends ObjectEvent {
  readonly about: ObjectName
  readonly kind: string
}

export interface Overview {
  /** Collections that are not read yet. */
  readonly loading: number
  readonly counts: readonly KindCount[]
  readonly unhappy: readonly ObjectSummary[]
  /** Unhappy ones beyond the bound. */
  readonly moreUnhappy: number
  /** The latest first. */
  readonly changes: readonly ObjectChange[]
  readonly warnings: readonly ClusterWarning[]
  /** Collections that cannot be read, and why. */
  readonly problems: readonly string[]
}

/** An object in the tree of owners; the one that the tree is for has `self`. */
export interface RelatedObject extends ObjectSummary {
  readonly depth: number
  readonly self: boolean
}

export interface Relations {
  readonly loading: boolean
  readonly tree: readonly RelatedObject[]
  readonly unsent: number
}

/** What is wrong with a text, at a line from 1; 0: with all of it. */
export interface DraftFault {
  readonly line: number
  readonly message: string
}

/** A field that was typed, or changed by somebody else meanwhile. Values are JSON; `''`: it is not there. */
export interface DraftField {
  readonly path: string
  readonly value: string
  /** Who else owns the field, and may set it back. */
  readonly owners: readonly string[]
}

export interface DraftConflict extends DraftField {
  readonly id: string
  readonly theirs: string
  /** `''`: it is not chosen yet. */
  readonly keep: ConflictChoice['keep'] | ''
}

/** What would become of a draft: a dry run, merged with what others have changed since the editor was opened. */
export interface DraftCheck {
  readonly serial: number
  readonly faults: readonly DraftFault[]
  readonly fields: readonly DraftField[]
  readonly conflicts: readonly DraftConflict[]
  /** Fields that the server would set besides: defaults, webhooks, policies. */
  readonly added: readonly DraftField[]
  /** A unified diff of what is stored and what would be. */
  readonly diff: string
  /** The text with the others' changes; `''`: there are none. */
  readonly merged: string
}

export interface DraftPage {
  /** The object as it is now, as text to edit. */
  readonly current: string
  readonly deleted: boolean
  readonly problem: string
  /** Null: nothing is typed, or it is being checked. */
  readonly check: DraftCheck | null
}

/** What a controller does. */
export interface ControllerPage {
  readonly component: string
  readonly counts: Readonly<Record<'workers' | 'working' | 'waiting' | 'delayed' | 'failing' | 'reconciled' | 'failed', number>>
  readonly keys: readonly ControllerKey[]
  /** The latest first. */
  readonly recent: readonly Reconciled[]
}

export interface ControllerKey {
  readonly key: string
  readonly state: 'working' | 'waiting' | 'delayed'
  /** 0: it is not delayed. */
  readonly untilMs: number
  readonly failures: number
  readonly error: string
}

/** A reconciliation: the event that led to it, what it wrote, and how it ended. */
export interface Reconciled {
  readonly key: string
  readonly timeMs: number
  /** Null while it runs. */
  readonly tookMs: number | null
  readonly error: string
  /** Null: it came by time, or after a failure. `request` is `''` if it is not recorded. */
  readonly cause: { readonly request: string; readonly revision: string } | null
  readonly writes: readonly ControllerWrite[]
  readonly unlisted: number
}

export interface ControllerWrite {
  readonly what: string
  readonly object: ObjectName | null
  readonly error: string
}

/** Why a pod is on its node, or on none. */
export interface WhyPage {
  readonly summary: string
  readonly scheduler: string
  /** `''`: it has none. */
  readonly node: string
  readonly attempt: WhyAttempt | null
  readonly view: WhyView | null
  readonly changes: readonly WhyChange[]
  /** Changes that help together only. */
  readonly together: readonly WhyChange[]
  /** Null: it does not wait, or that is not known. */
  readonly queue: WhyQueue | null
  /** Changes can be tried on a fork. */
  readonly canTry: boolean
  /** Why this may be old. */
  readonly problem: string
}

export interface WhyAttempt {
  readonly timeMs: number
  readonly number: number
  readonly message: string
  /** The pods to be preempted. */
  readonly victims: readonly string[]
}

/** The nodes as the scheduler sees them. */
export interface WhyView {
  readonly nodes: number
  readonly fitting: number
  readonly unlisted: number
  /** The columns: plugins that reject some node, then those that give scores. */
  readonly plugins: readonly string[]
  readonly list: readonly WhyNode[]
  /** Extenders and plugins of other processes, which were not asked. */
  readonly notAsked: readonly string[]
}

export interface WhyNode {
  readonly name: string
  readonly fits: boolean
  readonly chosen: boolean
  readonly total: number | null
  /** One for each plugin. */
  readonly cells: readonly WhyCell[]
}

export interface WhyCell {
  readonly rejects: boolean
  /** Its reasons, or its score. */
  readonly text: string
}

export interface WhyChange {
  readonly message: string
  /** `''`: no single command makes it. */
  readonly command: string
  /** One request makes it. */
  readonly canBeMade: boolean
}

export interface WhyQueue {
  readonly queue: 'InFlight' | 'Active' | 'Backoff' | 'Unschedulable' | 'Gated'
  readonly attempts: number
  readonly sinceMs: number
  readonly untilMs: number
  readonly message: string
  readonly wokenBy: readonly string[]
}

/** A node: its parts, and which pod has them. */
export interface MachinePage {
  readonly facts: readonly (readonly [name: string, text: string])[]
  readonly resources: readonly MachineResource[]
  /** `''`: no topology is known of it; then `numa` and `devices` are empty. */
  readonly policy: string
  readonly numa: readonly MachineNuma[]
  /** Devices of no NUMA node. */
  readonly devices: readonly MachineDevices[]
  /** Devices of drivers (DRA), and the claims of the node's pods. */
  readonly slices: readonly MachineSlice[]
  readonly claims: readonly MachineClaim[]
  readonly pods: readonly MachinePod[]
  readonly morePods: number
}

export interface MachineResource {
  readonly name: string
  readonly capacity: string
  readonly allocatable: string
  /** By pods that have not ended. */
  readonly requested: string
  /** Of what is allocatable: 0 to 1. */
  readonly share: number
}

export interface MachineNuma {
  readonly id: number
  readonly cpus: readonly MachineCpu[]
  /** In bytes. */
  readonly memory: readonly { readonly type: string; readonly total: number; readonly reserved: number; readonly used: number }[]
  readonly devices: readonly MachineDevices[]
}

export interface MachineCpu {
  readonly id: number
  readonly core: number
  readonly socket: number
  readonly use: 'pod' | 'reserved' | 'shared'
  /** `namespace/name` of the pod that has it for itself. */
  readonly pod: string
}

export interface MachineDevices {
  readonly resource: string
  readonly total: number
  readonly free: number
  readonly unhealthy: number
  /** `pod` is `''` where the device is free. */
  readonly devices: readonly { readonly id: string; readonly healthy: boolean; readonly pod: string }[]
}

export interface MachineSlice {
  readonly driver: string
  readonly pool: string
  readonly devices: readonly string[]
  readonly unlisted: number
}

export interface MachineClaim {
  readonly namespace: string
  readonly name: string
  readonly devices: readonly string[]
  readonly pods: readonly string[]
}

export interface MachinePod {
  readonly namespace: string
  readonly name: string
  readonly tone: Tone
  readonly health: string
  /** What it has for itself, in one sentence. */
  readonly has: string
  readonly hints: readonly MachineHint[]
}

/** On which NUMA nodes a provider would meet a request: masks with node 0 last, `!` where preferred. */
export interface MachineHint {
  readonly container: string
  readonly provider: string
  readonly masks: string
}

/** What becomes of a pod on a fork where a change was made. */
export interface ChangeTrial {
  /** `''`: it is not made yet. */
  readonly fork: string
  readonly state: 'trying' | 'runs' | 'waits' | 'failed'
  readonly message: string
  readonly tookMs: number
}

/** What the steps of the server make of an object of a custom kind. */
export interface KindBench {
  readonly serial: number
  /** The text that was tried. */
  readonly text: string
  readonly faults: readonly DraftFault[]
  readonly steps: readonly KindStep[]
  /** YAML; `''`: it would be refused. */
  readonly stored: string
}

export interface KindStep {
  readonly name: string
  /** `busy`: it changes the object. */
  readonly tone: Tone
  readonly lines: readonly string[]
}

/** The next lines of a log; `from` is the number of the first. */
export interface LogsPage {
  readonly containers: readonly string[]
  readonly from: number
  readonly lines: readonly string[]
  readonly ended: boolean
  readonly problem: string
}

/** The next lines of a shell. */
export interface ShellPage extends Pick<LogsPage, 'from' | 'lines' | 'problem'> {
  readonly state: 'starting' | 'running' | 'ended'
}

/** Forks of the cluster. */
export interface LabPage {
  readonly canFork: boolean
  /** The clock is virtual. */
  readonly canAdvance: boolean
  readonly forks: readonly ForkEntry[]
}

export interface ForkEntry {
  readonly name: string
  /** Why it was made. */
  readonly about: string
  readonly createdMs: number
  /** Null: they are being compared. */
  readonly differences: readonly ForkDifference[] | null
  readonly hasMore: boolean
  readonly problem: string
}

/** An object that is not the same on a fork. */
export interface ForkDifference extends ObjectName {
  readonly kind: string
  readonly change: 'only here' | 'only there' | 'different'
  /** From here to there; `''` where it is on one side alone. */
  readonly diff: string
}

export interface LabDone {
  /** Why it could not be done; `''`: it was done. */
  readonly message: string
  /** In base64; `''`: there is none. */
  readonly file: string
}

/** What came of a write. */
export interface Saved {
  /** `unknown`: there was no answer, so it may have been stored. */
  readonly outcome: 'stored' | 'refused' | 'unknown'
  readonly message: string
  /** The object as it was stored, as text to edit. */
  readonly text: string
}

/** The first message of a connection. */
export interface Hello {
  readonly type: 'hello'
  readonly cluster: string
  readonly server: string
  readonly nowMs: number
  readonly readOnly: boolean
  /** Whose view of the cluster it is; `''`: that of the page's own user. */
  readonly user: string
  /** The view of other users can be had. */
  readonly canViewAs: boolean
}

/** From the server. */
export type ServerMessage =
  | Hello
  | { readonly type: 'tick'; readonly nowMs: number }
  | { readonly type: 'rows'; readonly id: number; readonly page: RowPage }
  | { readonly type: 'object'; readonly id: number; readonly page: ObjectPage }
  | { readonly type: 'relations'; readonly id: number; readonly relations: Relations }
  | { readonly type: 'kinds'; readonly id: number; readonly kinds: readonly KindEntry[] }
  | { readonly type: 'overview'; readonly id: number; readonly overview: Overview }
  | { readonly type: 'found'; readonly id: number; readonly objects: readonly ObjectSummary[]; readonly loading: boolean }
  | { readonly type: 'draft'; readonly id: number; readonly page: DraftPage }
  | { readonly type: 'saved'; readonly id: number; readonly saved: Saved }
  | { readonly type: 'why'; readonly id: number; readonly page: WhyPage }
  | { readonly type: 'machine'; readonly id: number; readonly page: MachinePage }
  | { readonly type: 'try'; readonly id: number; readonly trial: ChangeTrial }
  | { readonly type: 'bench'; readonly id: number; readonly bench: KindBench }
  | { readonly type: 'logs'; readonly id: number; readonly page: LogsPage }
  | { readonly type: 'shell'; readonly id: number; readonly page: ShellPage }
  | { readonly type: 'lab'; readonly id: number; readonly page: LabPage }
  | { readonly type: 'lab-done'; readonly id: number; readonly done: LabDone }
  | { readonly type: 'error'; readonly id: number; readonly message: string }

/** The annotations by which simulated nodes, pods and metrics are controlled. `docs/simulated-annotations.md` is this table. */
export const SIMULATED_PREFIX = 'simulated.bowsprit.dev/'
/** `metrics.simulated.bowsprit.dev/NAME` on an object is the custom metric NAME of that object. */
export const CUSTOM_METRIC_PREFIX = 'metrics.simulated.bowsprit.dev/'

export interface SimulatedAnnotation {
  /** The object that carries it. `workload`: a pod, or the workload at the end of its chain of owners. */
  readonly on: 'pod' | 'workload' | 'node' | 'namespace'
  /** `container`: `NAME.CONTAINER` sets it for one container; `volume`: always `NAME.VOLUME`. */
  readonly each?: 'container' | 'volume'
  readonly meaning: string
  /** The unit or form of the value. */
  readonly value: string
  /** The behaviour without it. */
  readonly byDefault: string
}

const QUANTITY = 'quantity of bytes'
const LEFT = 'quantity, or percent of the capacity'
const COMPUTED = 'computed from what the pods use'

/** By name, without the prefix. */
export const SIMULATED_ANNOTATIONS = {
  'run-seconds': {
    on: 'pod',
    each: 'container',
    meaning: 'the container ends by itself after this time',
    value: 'seconds, or `forever`',
    byDefault: 'by command, image and owner; else for ever',
  },
  'exit-code': {
    on: 'pod',
    each: 'container',
    meaning: 'the exit code of a container that ends by itself; without `run-seconds` it ends at once',
    value: '0 to 255',
    byDefault: '0',
  },
  'ready-seconds': {
    on: 'pod',
    each: 'container',
    meaning: 'probes of the container fail until this time after its start',
    value: 'seconds',
    byDefault: '0',
  },
  'stop-seconds': {
    on: 'pod',
    each: 'container',
    meaning: 'how long the container takes to stop after SIGTERM',
    value: 'seconds',
    byDefault: '0',
  },
  logs: { on: 'pod', each: 'container', meaning: 'what the container prints at its start', value: 'lines', byDefault: 'nothing' },
  cpu: {
    on: 'workload',
    each: 'container',
    meaning: 'processor use, for metrics and autoscaling',
    value: 'quantity of cores, or a script',
    byDefault: 'a fifth of the request, or 5m',
  },
  memory: {
    on: 'workload',
    each: 'container',
    meaning: 'memory use, for metrics and eviction; above the limit of a container: `OOMKilled`',
    value: 'quantity of bytes, or a script',
    byDefault: 'half of the request, or 16Mi',
  },
  'ephemeral-storage': {
    on: 'pod',
    each: 'container',
    meaning: 'what containers have written beside their images',
    value: QUANTITY,
    byDefault: 'what programs wrote',
  },
  volume: { on: 'pod', each: 'volume', meaning: 'what is in a volume', value: QUANTITY, byDefault: 'what programs wrote' },
  'log-bytes': { on: 'pod', each: 'container', meaning: 'the size of the logs', value: QUANTITY, byDefault: '0' },
  inodes: { on: 'pod', each: 'container', meaning: 'how many files containers have written', value: 'quantity', byDefault: '0' },
  processes: { on: 'pod', meaning: 'how many processes the pod has', value: 'quantity', byDefault: 'one a container' },
  'memory.available': { on: 'node', meaning: 'memory that is left', value: LEFT, byDefault: COMPUTED },
  'allocatableMemory.available': { on: 'node', meaning: 'memory that is left for pods', value: LEFT, byDefault: COMPUTED },
  'nodefs.available': { on: 'node', meaning: 'disk that is left for pods', value: LEFT, byDefault: COMPUTED },
  'nodefs.inodesFree': { on: 'node', meaning: 'files that can still be made by pods', value: LEFT, byDefault: COMPUTED },
  'imagefs.available': { on: 'node', meaning: 'disk that is left for images', value: LEFT, byDefault: COMPUTED },
  'imagefs.inodesFree': { on: 'node', meaning: 'files that can still be made for images', value: LEFT, byDefault: COMPUTED },
  'pid.available': { on: 'node', meaning: 'process ids that are left', value: LEFT, byDefault: COMPUTED },
  shutdown: { on: 'node', meaning: "the node's machine shuts down", value: 'anything but `false`', byDefault: 'it does not' },
  unreachable: {
    on: 'node',
    meaning: 'the node is cut off from the API server',
    value: 'anything but `false`',
    byDefault: 'it is connected',
  },
  machine: {
    on: 'node',
    meaning: 'a Node that was created with it is simulated until it is deleted; `bowsprit node add` writes it',
    value: 'JSON: `{"cpu": "64", "memory": "256Gi", "resources": {"example.com/gpu": "8"}}`, or `{}`',
    byDefault: 'something else runs the node',
  },
  'host-files': {
    on: 'node',
    meaning: "what is at paths of the node's machine, for `hostPath` volumes with a type",
    value: '`PATH=TYPE,…`; `PATH=`: nothing is there',
    byDefault: 'the folders of any Linux',
  },
  'host-lacks': {
    on: 'node',
    meaning: "what the node's machine cannot do",
    value: '`apparmor`, names of file systems (`nfs`)',
    byDefault: 'it can do everything',
  },
  devices: {
    on: 'node',
    meaning: 'what `bowsprit devices` did to described devices',
    value: 'JSON: `{"example.com/dongle-0": "failed"}`',
    byDefault: 'as described',
  },
  'metrics-apis': {
    on: 'namespace',
    meaning: 'on kube-system, written by Bowsprit: the APIServices for metrics that it has made once',
    value: 'names',
    byDefault: 'none',
  },
} as const satisfies Readonly<Record<string, SimulatedAnnotation>>

export type SimulatedAnnotationName = keyof typeof SIMULATED_ANNOTATIONS

/** The full key of an annotation: `simulated.bowsprit.dev/memory`, or `simulated.bowsprit.dev/memory.main` for one container. */
export const simulatedKey = (name: SimulatedAnnotationName, of?: string): string =>
  `${SIMULATED_PREFIX}${name}${of === undefined ? '' : `.${of}`}`

/** The reason of an event of a simulated container in which nothing runs, at its first start. */
export const SIMULATED_REASON = 'Simulated'

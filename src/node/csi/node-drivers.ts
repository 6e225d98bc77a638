import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { Slots } from '../../base/slots.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { tryParseJson } from '../../machinery/json/try-parse-json.ts'
import { isObject } from '../../machinery/object.ts'
import { CSI_NODES, NODES } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { CSINode, CSINodeDriver } from '../../resources/types/storage.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { NodeInfo } from '../../sdk/csi/node-service.ts'
import { CsiError } from './csi-error.ts'

export interface NodeDriversDeps {
  /** As `system:node:<name>`. */
  readonly client: Client
  readonly nodeName: string
  readonly clock: Clock
  readonly log: Logger
}

const NODE_IDS = 'csi.volume.kubernetes.io/nodeid'
/** In-tree plugins whose volumes are mounted by CSI drivers. */
const MIGRATED_ANNOTATION = 'storage.alpha.kubernetes.io/migrated-plugins'
const MIGRATED = ['aws-ebs', 'azure-disk', 'azure-file', 'cinder', 'gce-pd', 'portworx-volume', 'vsphere-volume']
  .map((plugin) => `kubernetes.io/${plugin}`)
  .join(',')
/** Other writers of the same objects. */
const MOST_ATTEMPTS = 10
const RETRY_MS = 100

/** Shows in the API which drivers a node has, and where it is for them: the CSINode, an annotation and labels of the Node. */
export class NodeDrivers {
  readonly #deps: NodeDriversDeps
  /** One change at a time. */
  readonly #changes = new Slots(() => 1)

  constructor(deps: NodeDriversDeps) {
    this.#deps = deps
  }

  /** Rejects with `CsiError`. */
  publish(driver: string, info: NodeInfo): Promise<void> {
    return this.#changes.run(async () => {
      if (info.nodeId === '') throw new CsiError(`error adding CSI driver node info: nodeID of driver ${driver} must not be empty`)
      await this.#changeNode((node) => withPlace(node, driver, info))
      await this.#changeCsiNode((drivers) => [...drivers.filter(({ name }) => name !== driver), nodeDriver(driver, info)])
    })
  }

  /** Its socket is gone. Failures are logged. */
  withdraw(driver: string): void {
    const work = this.#changes.run(async () => {
      await this.#changeCsiNode((drivers) => drivers.filter(({ name }) => name !== driver))
      await this.#changeNode((node) => withoutNodeId(node, driver))
    })
    void work.catch((error) => this.#deps.log.warn(`the CSI driver ${driver} is gone and still shown by its node`, { error }))
  }

  /** Makes the CSINode, which pods with migrated volumes need before any driver has registered. */
  open(): Promise<void> {
    return this.#changes.run(() => this.#changeCsiNode((drivers) => drivers))
  }

  async #changeNode(change: (node: Node) => MetadataPatch): Promise<void> {
    const { client, nodeName } = this.#deps
    const target = { ...NODES, name: nodeName }
    await this.#retried('Node', async () => {
      const node = await client.get(target)
      const { resourceVersion = '' } = node.metadata
      await client.patch(target, 'merge', { metadata: { resourceVersion, ...change(node) } })
    })
  }

  async #changeCsiNode(change: (drivers: readonly CSINodeDriver[]) => readonly CSINodeDriver[]): Promise<void> {
    const { client, nodeName } = this.#deps
    await this.#retried('CSINode', async () => {
      const target = { ...CSI_NODES, name: nodeName }
      const existing = await client.get(target).catch(ignoring('NotFound'))
      if (existing === undefined) {
        const node = await client.get({ ...NODES, name: nodeName })
        await client.create(CSI_NODES, csiNodeOf(node, change([])))
        return
      }
      // Go writes null for an empty list.
      const before = existing.spec.drivers ?? []
      const drivers = change(before)
      if (!semanticEqual(drivers, before)) await client.update(target, { ...existing, spec: { drivers } })
    })
  }

  async #retried(what: string, work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof CsiError) throw error
        if (attempt === MOST_ATTEMPTS)
          throw new CsiError(`error updating ${what} object with CSI driver node info: ${error}`, { cause: error })
        await this.#deps.clock.sleep(RETRY_MS * attempt)
      }
    }
  }
}

const nodeDriver = (name: string, { nodeId, maxVolumesPerNode, accessibleTopology }: NodeInfo): CSINodeDriver => ({
  name,
  nodeID: nodeId,
  topologyKeys: [...(accessibleTopology?.segments.keys() ?? [])].sort(),
  ...(maxVolumesPerNode > 0 && { allocatable: { count: maxVolumesPerNode } }),
})

const csiNodeOf = ({ metadata: { name = '', uid = '' } }: Node, drivers: readonly CSINodeDriver[]): CSINode => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: {
    name,
    annotations: { [MIGRATED_ANNOTATION]: MIGRATED },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
  },
  spec: { drivers },
})

/** Of a Node; null removes. */
interface MetadataPatch {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string | null>>
}

/** Pure. Throws `CsiError` where another driver, or a person, has set something else as the node's topology. */
function withPlace(node: Node, driver: string, { nodeId, accessibleTopology }: NodeInfo): MetadataPatch {
  const segments = accessibleTopology?.segments ?? new Map<string, string>()
  for (const [key, value] of segments) {
    const standing = node.metadata.labels?.[key]
    if (standing !== undefined && standing !== value)
      throw new CsiError(
        `detected topology value collision: driver reported "${key}":"${value}" but existing label is "${key}":"${standing}"`,
      )
  }
  return { labels: Object.fromEntries(segments), annotations: { [NODE_IDS]: JSON.stringify({ ...nodeIdsOf(node), [driver]: nodeId }) } }
}

/** Pure. The labels stay: volumes may still name them. */
function withoutNodeId(node: Node, driver: string): MetadataPatch {
  const { [driver]: _, ...others } = nodeIdsOf(node)
  return { annotations: { [NODE_IDS]: Object.keys(others).length === 0 ? null : JSON.stringify(others) } }
}

function nodeIdsOf({ metadata }: Node): Readonly<Record<string, string>> {
  const ids: unknown = tryParseJson(metadata.annotations?.[NODE_IDS] ?? '{}')
  return isObject(ids)
    ? Object.fromEntries(Object.entries(ids).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
    : {}
}

import { messageOf } from '../../base/message-of.ts'
import { NODES } from '../../resources/refs.ts'
import type { AttachedVolume, Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { FlexDriver } from '../../sdk/flex-volume/flex-driver.ts'
import type { FlexDrivers } from '../../sdk/flex-volume/flex-drivers.ts'
import { optionsOf } from '../../sdk/flex-volume/flex-volume.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { podsOnNode } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { targetOf } from '../frame/objects.ts'
import { idleFlexVolumes, type WantedFlexVolume, wantedFlexVolumes } from './flex-plan.ts'

export interface FlexAttachDeps {
  readonly client: Client
  readonly events: ObjectEvents
  readonly pods: Informer<Pod>
  readonly claims: Informer<PersistentVolumeClaim>
  readonly volumes: Informer<PersistentVolume>
  readonly drivers: Pick<FlexDrivers, 'find'>
}

/** How often a driver is looked for that is not there, or whose `init` fails. */
const MISSING_MS = 2000

/** Attaches and detaches one volume after the other. Those that fail do not hold up the others; the first error is thrown in the end. */
export async function reconcileFlexVolumes(deps: FlexAttachDeps, node: Node): Promise<ReconcileResult> {
  const { pods, claims, volumes, drivers } = deps
  const name = node.metadata.name ?? ''
  const wanted = wantedFlexVolumes({
    node,
    pods: podsOnNode(pods, name),
    claim: (namespace, claim) => claims.get(`${namespace}/${claim}`),
    volume: (volume) => volumes.get(volume),
  })
  const status = new AttachedStatus(deps.client, node)
  const faults: unknown[] = []
  let missing = false
  for (const idle of idleFlexVolumes(node, wanted)) await detach(idle, { drivers, name, status }).catch((error) => faults.push(error))
  for (const [unique, one] of wanted) {
    if (status.has(unique)) continue
    const driver = await drivers.find(one.volume.driver)
    if (driver === undefined) missing = true
    else if (driver.capabilities.attach) await attach(deps, driver, { unique, ...one, name, status }).catch((error) => faults.push(error))
  }
  if (faults.length > 0) throw faults[0]
  return missing ? { requeueAfterMs: MISSING_MS } : undefined
}

interface Attaching extends WantedFlexVolume {
  readonly unique: string
  /** Of the node. */
  readonly name: string
  readonly status: AttachedStatus
}

async function attach({ events }: FlexAttachDeps, driver: FlexDriver, { unique, volume, pods, name, status }: Attaching): Promise<void> {
  const options = optionsOf(volume)
  try {
    // Its answer is not used, here as upstream: some drivers prepare something.
    await driver.tryCall('getvolumename', options)
    const done = await driver.tryCall('attach', options, name)
    await status.change((attached) => [...attached, { name: unique, devicePath: done?.device ?? '' }])
  } catch (error) {
    const message = `AttachVolume.Attach failed for volume "${volume.name}" : ${messageOf(error)}`
    for (const pod of pods) events.warning(pod, 'FailedAttachVolume', message)
    throw error
  }
  for (const pod of pods) events.normal(pod, 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume "${volume.name}" `)
}

interface Detaching {
  readonly drivers: FlexAttachDeps['drivers']
  readonly name: string
  readonly status: AttachedStatus
}

/** The name in the status, `vendor/driver/volume`, says all that is needed: the pod may be gone. */
async function detach(idle: AttachedVolume, { drivers, name, status }: Detaching): Promise<void> {
  const end = idle.name.lastIndexOf('/')
  const driver = await drivers.find(idle.name.slice(0, end))
  if (driver === undefined) return
  await driver.tryCall('detach', idle.name.slice(end + 1), name)
  await status.change((attached) => attached.filter((one) => one.name !== idle.name))
}

/** `volumesAttached` of a node. Other controllers write it too, so each change names the version that it is made to. */
class AttachedStatus {
  readonly #client: Client
  #node: Node

  constructor(client: Client, node: Node) {
    this.#client = client
    this.#node = node
  }

  has(unique: string): boolean {
    return this.#attached().some(({ name }) => name === unique)
  }

  async change(change: (attached: readonly AttachedVolume[]) => readonly AttachedVolume[]): Promise<void> {
    const target = targetOf(NODES, this.#node)
    const present = await this.#client.get(target)
    const { resourceVersion = '' } = present.metadata
    const volumesAttached = change(present.status?.volumesAttached ?? []).map((one) => ({ ...one }))
    const body = { metadata: { resourceVersion }, status: { volumesAttached: volumesAttached.length === 0 ? null : volumesAttached } }
    this.#node = await this.#client.patch({ ...target, subresource: 'status' }, 'merge', body)
  }

  #attached(): readonly AttachedVolume[] {
    return this.#node.status?.volumesAttached ?? []
  }
}

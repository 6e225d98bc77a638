import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { namesIn } from '../../base/names-in.ts'
import { pause } from '../../base/pause.ts'
import type { Random } from '../../base/random.ts'
import { RUNTIME_CLASSES } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'
import { requestToken } from '../../sdk/client/subresources.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { CSI_FOLDER } from '../csi/csi-folders.ts'
import type { CsiVolumes } from '../csi/csi-volumes.ts'
import type { FlexVolumes } from '../flex-volume/flex-volumes.ts'
import type { NodeHost } from '../host/node-host.ts'
import { podDns } from '../pod/spec/pod-dns.ts'
import { resolveSandbox } from '../pod/spec/resolve-container.ts'
import type { ContainerResources, ContainerSpec, SandboxSpec } from '../runtime/container-spec.ts'
import type { ContainerStatus, PullRequest, Runtime, RuntimeHandler } from '../runtime/runtime.ts'
import { RuntimeError } from '../runtime/runtime-error.ts'
import type { IdMapping } from '../runtime/security.ts'
import type {
  AdmitHandler,
  CompleteRequest,
  HeldAmounts,
  HeldBack,
  PrepareRequest,
  ResizePodRequest,
  StartedContainer,
} from '../types/admit-handler.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import { type Container, type Pod, podRef } from '../types/pod.ts'
import type { VolumeUse } from '../types/volume-use.ts'
import type { DriverVolumes } from '../volumes/driver-volumes.ts'
import { MOUNT_RETRY } from '../volumes/mount-retry.ts'
import type { ObjectSource } from '../volumes/object-source.ts'
import { REFRESH_MS } from '../volumes/pod-volumes.ts'
import type { IssueToken } from '../volumes/service-account-tokens.ts'
import { quantitiesOf, withoutUnlimited } from './cgroups/group-amounts.ts'
import type { PodCgroups } from './cgroups/pod-cgroups.ts'
import { completeContainer, completeResources } from './complete-container.ts'
import { overheadOf, sandboxIsolation } from './isolation/sandbox-isolation.ts'
import { UserNamespaces } from './isolation/user-namespaces.ts'
import type { ContainerLogs } from './logs/container-logs.ts'
import { OrphanFolders } from './orphan-folders.ts'
import { type NodeFolders, type PodFolders, podFolders, podsFolder } from './pod-folders.ts'
import { DiskVolumes, removePodFolder } from './volumes/disk-volumes.ts'
import { growClaim, type MountedClaim } from './volumes/grow-claim.ts'
import type { Mounts } from './volumes/mounts.ts'
import { RestoredVolumes } from './volumes/restored-volumes.ts'

export interface RealPodsDeps {
  /** As `system:node:<name>`. */
  readonly client: Client
  readonly source: ObjectSource
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly host: NodeHost
  readonly nodeName: string
  readonly hostIp: string
  readonly folders: NodeFolders
  readonly cgroups: PodCgroups
  readonly logs: ContainerLogs
  readonly mounts: Mounts
  readonly csi: CsiVolumes
  readonly flex: FlexVolumes
  /** Of all drivers. */
  readonly volumes: DriverVolumes
  /** The Pods that are bound to the node, ended ones too. */
  readonly podsOfNode: () => readonly Pick<Pod, 'metadata'>[]
  readonly runtime: Pick<Runtime, 'stats' | 'updateSandbox'>
  /** What the runtime's handlers can do. */
  readonly handlers: readonly RuntimeHandler[]
  readonly memoryCapacityBytes: number
  readonly memoryAllocatableBytes: number
  /** The sizes of huge pages that the kernel has, as it calls them: `2MB`. */
  readonly hugePageSizes: readonly string[]
}

/** How often the node clears up, as the kubelet. */
const HOUSEKEEPING_MS = 2000

/**
 * What a real machine gives to its pods: folders, volumes on its disk, control groups, and their entries in the requests to the runtime.
 * All of it can be found again by an agent that starts later.
 */
export class RealPods implements AdmitHandler, AgentPart {
  readonly name = 'real-pods'
  readonly #deps: RealPodsDeps
  readonly #userNamespaces: UserNamespaces
  readonly #volumes = new Map<string, DiskVolumes>()
  readonly #measuring = new Set<string>()
  readonly #retryMs = new Map<string, number>()
  readonly #lastHeld = new Map<string, HeldAmounts>()
  /** When the agent saw each pod first. */
  readonly #seen = new Map<string, string>()
  readonly #restored: RestoredVolumes
  readonly #orphans: OrphanFolders
  #record: AgentView['record'] = () => {}

  constructor(deps: RealPodsDeps) {
    this.#deps = deps
    this.#restored = new RestoredVolumes({ ...deps, setUp: (pod) => this.#volumesOf(pod).setUp() })
    this.#orphans = new OrphanFolders({ ...deps, remove: (folder) => removePodFolder(folder, deps.mounts) })
    this.#userNamespaces = new UserNamespaces(podsFolder(deps.folders), deps.random)
  }

  prepare({ pod, runs }: PrepareRequest): undefined {
    if (runs) this.#restored.add(pod)
  }

  admit(): undefined {}

  release({ metadata: { uid = '' } }: Pod): void {
    this.#restored.drop(uid)
    this.#volumes.delete(uid)
    this.#retryMs.delete(uid)
  }

  async beforeSandbox(pod: Pod): Promise<HeldBack | undefined> {
    const { uid = '' } = pod.metadata
    await mkdir(this.#foldersOf(pod).pod, { recursive: true, mode: 0o750 })
    const [fault] = await this.#volumesOf(pod).setUp()
    if (fault === undefined) {
      this.#retryMs.delete(uid)
      this.#measure(uid, this.#volumesOf(pod))
      this.#deps.cgroups.apply(pod)
      return undefined
    }
    const retryMs = this.#retryMs.get(uid) ?? MOUNT_RETRY.firstMs
    this.#retryMs.set(uid, Math.min(retryMs * 2, MOUNT_RETRY.maxMs))
    return { reason: 'FailedMount', message: fault, retryMs }
  }

  /** How full its volumes are, by their names in the pod. */
  volumeUse(podUid: string): ReadonlyMap<string, VolumeUse> {
    return this.#volumes.get(podUid)?.use ?? new Map()
  }

  /** A driver that hangs holds up the measuring of its pod alone. */
  #measure(podUid: string, volumes: DiskVolumes): void {
    if (this.#measuring.has(podUid)) return
    this.#measuring.add(podUid)
    void volumes.measure().finally(() => this.#measuring.delete(podUid))
  }

  async completeSandbox(pod: Pod, spec: SandboxSpec): Promise<SandboxSpec> {
    const { uid } = podRef(pod)
    const logDirectory = this.#foldersOf(pod).logs
    const runtimeHandler = await this.#handlerOf(pod)
    const userIds = await this.#userIdsOf(pod, runtimeHandler)
    return {
      ...spec,
      runtimeHandler,
      annotations: { 'kubernetes.io/config.seen': this.#seenAt(uid), 'kubernetes.io/config.source': 'api', ...spec.annotations },
      isolation: sandboxIsolation({ pod, logDirectory, cgroupParent: this.#deps.cgroups.parentOf(pod), userIds }),
    }
  }

  async completeContainer(request: CompleteRequest): Promise<ContainerSpec> {
    const { pod } = request
    const { host, folders, handlers, memoryCapacityBytes, hugePageSizes, random } = this.#deps
    const volumes = this.#volumesOf(pod)
    await volumes.setUp()
    const sandbox = await this.#sandboxOf(pod, request.sandboxAttempt)
    const handler = handlers.find((h) => h.name === sandbox.runtimeHandler)
    return completeContainer(request, {
      sandbox,
      recursiveReadOnlyMounts: handler?.recursiveReadOnlyMounts === true,
      volumes,
      folders: this.#foldersOf(pod),
      nodeHosts: () => readFile('/etc/hosts', 'utf8'),
      clusterDomain: host.clusterDomain,
      seccompFolder: path.join(folders.root, 'seccomp/'),
      memoryCapacityBytes,
      hugePageSizes,
      serial: () => random.uuid().slice(0, 8),
    })
  }

  async afterStart(started: StartedContainer): Promise<void> {
    await this.#deps.logs.link(started)
  }

  async afterPrune(pod: Pod, left: readonly ContainerStatus[]): Promise<void> {
    await this.#deps.logs.tidy(podRef(pod), left)
  }

  async completePull(pod: Pod, pull: PullRequest): Promise<PullRequest> {
    return { ...pull, sandbox: await this.#sandboxOf(pod, 0) }
  }

  completeResources(pod: Pod, container: Container, resources: ContainerResources): ContainerResources {
    return completeResources(pod, container, resources, this.#deps)
  }

  async resizePod({ pod, sandboxId, resource, direction }: ResizePodRequest, signal: AbortSignal): Promise<void> {
    const { cgroups, runtime, log } = this.#deps
    const about = { pod: pod.metadata.name }
    try {
      for (const resources of cgroups.resize(pod, resource, direction))
        await runtime
          .updateSandbox?.(sandboxId, { resources: withoutUnlimited(resources), overhead: overheadOf(pod) }, signal)
          .catch((error) => {
            // Few runtimes need to know; containerd has no such call.
            log.debug('the runtime does not know the new amounts of a pod', { ...about, error: messageOf(error) })
          })
    } catch (error) {
      log.info('the control group of a pod keeps its amounts', { ...about, error: messageOf(error) })
    }
  }

  /** The kubelet compares with what is used, and says that it is 0. */
  async memoryFault(pod: Pod, limits: ReadonlyMap<string, number>, signal: AbortSignal): Promise<string | undefined> {
    const stats = await this.#deps.runtime.stats({ podUid: pod.metadata.uid ?? '' }, signal)
    const faults = [...limits].flatMap(([name, limit]) => {
      const used = stats.find((s) => s.name === name)?.memoryBytes ?? 0
      return used < limit ? [] : [`attempting to set container "${name}" memory limit (${limit}) below current usage (0)`]
    })
    if (faults.length === 0) return undefined
    return `cannot decrease memory limits: ${faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`}`
  }

  /** The amounts of the pod's cgroup; for an ended pod, the last ones. */
  heldAmounts(pod: Pod): HeldAmounts | undefined {
    const held = this.#deps.cgroups.held(pod)
    return held === undefined ? this.#lastHeld.get(podRef(pod).uid) : quantitiesOf(held, this.#deps.cgroups.unlimitedMemory)
  }

  /** What its containers had is given back; their last words stay for as long as the pod's object does. */
  async afterStop(pod: Pod): Promise<void> {
    const { volumes, subPaths, plugins } = this.#foldersOf(pod)
    this.#volumes.delete(pod.metadata.uid ?? '')
    const own = (await namesIn(volumes))
      .filter((plugin) => plugin.startsWith('kubernetes.io~') && plugin !== CSI_FOLDER)
      .map((plugin) => path.join(volumes, plugin))
    for (const folder of [subPaths, ...own, plugins]) await removePodFolder(folder, this.#deps.mounts)
    const held = this.heldAmounts(pod)
    if (held !== undefined) this.#lastHeld.set(podRef(pod).uid, held)
    this.#deps.cgroups.remove(pod)
  }

  async clear(pod: Pod): Promise<void> {
    const folders = this.#foldersOf(pod)
    await removePodFolder(folders.pod, this.#deps.mounts)
    await this.#deps.logs.clear(podRef(pod))
    this.#userNamespaces.release(pod.metadata.uid ?? '')
    this.#lastHeld.delete(pod.metadata.uid ?? '')
    this.#seen.delete(pod.metadata.uid ?? '')
  }

  /** Folders, logs and control groups of pods that went while no agent ran. */
  retain(podUids: ReadonlySet<string>): void {
    const { cgroups, logs, log, podsOfNode } = this.#deps
    cgroups.retain(podUids)
    const known = new Set([...podUids, ...podsOfNode().map(({ metadata }) => metadata.uid ?? '')])
    const clearing = Promise.all([this.#findOrphans(podUids), logs.retain(known)])
    void clearing.catch((error) => log.warn('folders of old pods could not be removed', { error }))
  }

  /** Brings the content of volumes up to date, now and then, until the signal is aborted. */
  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    this.#record = (event) => agent.record(event)
    const own = [this.#restored.run(signal), this.#orphans.run(signal)]
    await Promise.all([...own, this.#refreshes(agent, signal), this.#cleanGroups(signal)])
  }

  async #cleanGroups(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#deps.clock, HOUSEKEEPING_MS, signal)
      this.#deps.cgroups.removeBusy()
    }
  }

  async #refreshes(agent: AgentView, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps
    while (!signal.aborted) {
      await pause(clock, REFRESH_MS + random.int(REFRESH_MS / 2), signal)
      for (const pod of signal.aborted ? [] : agent.pods()) if (!agent.ending(pod)) await this.#refresh(pod)
    }
  }

  async #refresh(pod: Pod): Promise<void> {
    try {
      const volumes = this.#volumesOf(pod)
      await volumes.setUp()
      this.#measure(pod.metadata.uid ?? '', volumes)
      await volumes.refresh()
    } catch (error) {
      this.#deps.log.info('a volume could not be brought up to date', { pod: pod.metadata.name, error: messageOf(error) })
    }
  }

  /** Of a pod that no longer exists: as soon as it can be removed. */
  removeFolder(podUid: string): void {
    this.#orphans.add(path.join(podsFolder(this.#deps.folders), podUid))
  }

  #foldersOf(pod: Pod): PodFolders {
    return podFolders(this.#deps.folders, podRef(pod))
  }

  #volumesOf(pod: Pod): DiskVolumes {
    const { uid = '' } = pod.metadata
    const { client, source, clock, nodeName, hostIp, mounts, csi, flex, memoryAllocatableBytes: memoryBytes } = this.#deps
    const known = this.#volumes.get(uid)
    if (known !== undefined) return known
    const podIps = (pod.status.podIPs ?? []).flatMap(({ ip }) => ip)
    const content = { source, clock, nodeName, hostIp, podIps, issueToken: this.#tokensOf(pod) }
    const grow = (mounted: MountedClaim) => growClaim(mounted, { client, nodeName, csi, record: (event) => this.#record(event) })
    const recordMapped = (message: string) =>
      this.#record({ regarding: referenceTo(pod), type: 'Normal', reason: 'SuccessfulMountVolume', message })
    const made = new DiskVolumes(pod, { ...content, mounts, csi, flex, grow, recordMapped, memoryBytes, folders: this.#foldersOf(pod) })
    this.#volumes.set(uid, made)
    return made
  }

  /** As it was asked for. */
  #sandboxOf(pod: Pod, attempt: number): Promise<SandboxSpec> {
    return this.completeSandbox(pod, resolveSandbox(pod, attempt, podDns(pod, this.#deps.host).dns))
  }

  async #userIdsOf(pod: Pod, runtimeHandler: string): Promise<IdMapping | undefined> {
    if (pod.spec.hostUsers !== false) return undefined
    if (this.#deps.handlers.find((h) => h.name === runtimeHandler)?.userNamespaces !== true)
      throw new RuntimeError('unsupported', `RuntimeClass handler "${runtimeHandler}" does not support user namespaces`)
    return this.#userNamespaces.take(podRef(pod).uid, this.#foldersOf(pod).pod)
  }

  #tokensOf(pod: Pod): IssueToken {
    const { name, namespace, uid } = podRef(pod)
    const account = { namespace, name: pod.spec.serviceAccountName ?? 'default' }
    return async ({ audience, expirationSeconds }) => {
      const boundTo = { apiVersion: 'v1', kind: 'Pod', name, uid }
      const requested = { expirationSeconds, boundTo, ...(audience !== undefined && { audiences: [audience] }) }
      const { token, expirationTimestamp } = await requestToken(this.#deps.client, account, requested)
      return { token, expiresAtMs: Date.parse(expirationTimestamp) }
    }
  }

  #seenAt(uid: string): string {
    const known = this.#seen.get(uid) ?? new Date(this.#deps.clock.now()).toISOString().replace('Z', '000000Z')
    this.#seen.set(uid, known)
    return known
  }

  async #handlerOf({ spec: { runtimeClassName } }: Pod): Promise<string> {
    if (!runtimeClassName) return ''
    return (await this.#deps.client.get({ ...RUNTIME_CLASSES, name: runtimeClassName })).handler
  }

  async #findOrphans(podUids: ReadonlySet<string>): Promise<void> {
    const root = podsFolder(this.#deps.folders)
    for (const uid of await namesIn(root)) if (!podUids.has(uid) && !(await this.#deps.volumes.holds(uid))) this.removeFolder(uid)
  }
}

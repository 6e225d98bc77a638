import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Random } from '../../base/random.ts'
import { RUNTIME_CLASSES } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'
import { requestToken } from '../../sdk/client/subresources.ts'
import type { NodeHost } from '../host/node-host.ts'
import { podDns } from '../pod/spec/pod-dns.ts'
import { resolveSandbox } from '../pod/spec/resolve-container.ts'
import type { ContainerResources, ContainerSpec, SandboxSpec } from '../runtime/container-spec.ts'
import type { AdmitHandler, CompleteRequest, HeldBack } from '../types/admit-handler.ts'
import type { AgentPart, AgentView } from '../types/agent-part.ts'
import { type Container, type Pod, podRef } from '../types/pod.ts'
import type { ObjectSource } from '../volumes/object-source.ts'
import { REFRESH_MS } from '../volumes/pod-volumes.ts'
import type { IssueToken } from '../volumes/service-account-tokens.ts'
import type { PodCgroups } from './cgroups/pod-cgroups.ts'
import { completeContainer, completeResources } from './complete-container.ts'
import { sandboxIsolation } from './isolation/sandbox-isolation.ts'
import { type NodeFolders, type PodFolders, podFolders, podsFolder } from './pod-folders.ts'
import { DiskVolumes, removePodFolder } from './volumes/disk-volumes.ts'
import type { Mounts } from './volumes/mounts.ts'

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
  readonly mounts: Mounts
  readonly memoryCapacityBytes: number
  /** The sizes of huge pages that the kernel has, as it calls them: `2MB`. */
  readonly hugePageSizes: readonly string[]
}

/** The waits before volumes that could not be set up are tried again, as the kubelet's. */
const MOUNT_RETRY = { firstMs: 500, maxMs: 122_000 } as const

/**
 * What a real machine gives to its pods: folders, volumes on its disk, control groups, and what the runtime is told of them. All of it can
 * be found again by an agent that starts later.
 */
export class RealPods implements AdmitHandler, AgentPart {
  readonly name = 'real-pods'
  readonly #deps: RealPodsDeps
  readonly #volumes = new Map<string, DiskVolumes>()
  readonly #retryMs = new Map<string, number>()
  /** When the agent saw each pod first. */
  readonly #seen = new Map<string, string>()

  constructor(deps: RealPodsDeps) {
    this.#deps = deps
  }

  admit(): undefined {}

  release({ metadata: { uid = '' } }: Pod): void {
    this.#volumes.delete(uid)
    this.#retryMs.delete(uid)
  }

  async beforeSandbox(pod: Pod): Promise<HeldBack | undefined> {
    const { uid = '' } = pod.metadata
    await mkdir(this.#foldersOf(pod).pod, { recursive: true, mode: 0o750 })
    const [fault] = await this.#volumesOf(pod).setUp()
    if (fault === undefined) {
      this.#retryMs.delete(uid)
      this.#deps.cgroups.apply(pod)
      return undefined
    }
    const retryMs = this.#retryMs.get(uid) ?? MOUNT_RETRY.firstMs
    this.#retryMs.set(uid, Math.min(retryMs * 2, MOUNT_RETRY.maxMs))
    return { reason: 'FailedMount', message: fault, retryMs }
  }

  async completeSandbox(pod: Pod, spec: SandboxSpec): Promise<SandboxSpec> {
    const { uid } = podRef(pod)
    const logDirectory = this.#foldersOf(pod).logs
    return {
      ...spec,
      runtimeHandler: await this.#handlerOf(pod),
      annotations: { 'kubernetes.io/config.seen': this.#seenAt(uid), 'kubernetes.io/config.source': 'api', ...spec.annotations },
      isolation: sandboxIsolation({ pod, logDirectory, cgroupParent: this.#deps.cgroups.parentOf(pod) }),
    }
  }

  async completeContainer(request: CompleteRequest): Promise<ContainerSpec> {
    const { pod, sandboxAttempt } = request
    const { host, folders, memoryCapacityBytes, hugePageSizes, random } = this.#deps
    const volumes = this.#volumesOf(pod)
    await volumes.setUp()
    const sandbox = await this.completeSandbox(pod, resolveSandbox(pod, sandboxAttempt, podDns(pod, host).dns))
    return completeContainer(request, {
      sandbox,
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

  completeResources(pod: Pod, container: Container, resources: ContainerResources): ContainerResources {
    this.#grow(pod)
    return completeResources(pod, container, resources, this.#deps)
  }

  resized(pod: Pod): void {
    this.#grow(pod)
  }

  /** The kernel refuses amounts of a group that those below it exceed: a group that shrinks does so after them. */
  #grow(pod: Pod): void {
    try {
      this.#deps.cgroups.apply(pod)
    } catch (error) {
      this.#deps.log.info('the control group of a pod keeps its amounts', { pod: pod.metadata.name, error: messageOf(error) })
    }
  }

  /** What its containers had is given back; their last words stay for as long as the pod's object does. */
  async afterStop(pod: Pod): Promise<void> {
    const { volumes, subPaths, plugins } = this.#foldersOf(pod)
    this.#volumes.delete(pod.metadata.uid ?? '')
    for (const folder of [subPaths, volumes, plugins]) await removePodFolder(folder, this.#deps.mounts)
    this.#deps.cgroups.remove(pod)
  }

  async clear(pod: Pod): Promise<void> {
    const folders = this.#foldersOf(pod)
    await removePodFolder(folders.pod, this.#deps.mounts)
    await rm(folders.logs, { recursive: true, force: true })
    this.#seen.delete(pod.metadata.uid ?? '')
  }

  /** Folders and control groups of pods that went while no agent ran. */
  retain(podUids: ReadonlySet<string>): void {
    this.#deps.cgroups.retain(podUids)
    void this.#removeOrphans(podUids).catch((error) => this.#deps.log.warn('folders of old pods could not be removed', { error }))
  }

  /** Brings the content of volumes up to date, now and then, until the signal is aborted. */
  async run(agent: AgentView, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps
    while (!signal.aborted) {
      await clock.sleep(REFRESH_MS + random.int(REFRESH_MS / 2), signal).catch(() => {})
      for (const pod of signal.aborted ? [] : agent.pods()) if (!agent.ending(pod)) await this.#refresh(pod)
    }
  }

  async #refresh(pod: Pod): Promise<void> {
    try {
      const volumes = this.#volumesOf(pod)
      await volumes.setUp()
      await volumes.refresh()
    } catch (error) {
      this.#deps.log.info('a volume could not be brought up to date', { pod: pod.metadata.name, error: messageOf(error) })
    }
  }

  #foldersOf(pod: Pod): PodFolders {
    return podFolders(this.#deps.folders, podRef(pod))
  }

  #volumesOf(pod: Pod): DiskVolumes {
    const { uid = '' } = pod.metadata
    const { source, clock, nodeName, hostIp, mounts } = this.#deps
    const known = this.#volumes.get(uid)
    if (known !== undefined) return known
    const podIps = (pod.status.podIPs ?? []).flatMap(({ ip }) => ip)
    const content = { source, clock, nodeName, hostIp, podIps, issueToken: this.#tokensOf(pod) }
    const made = new DiskVolumes(pod, { ...content, mounts, folders: this.#foldersOf(pod) })
    this.#volumes.set(uid, made)
    return made
  }

  #tokensOf(pod: Pod): IssueToken {
    const { name, namespace, uid } = podRef(pod)
    const account = { namespace, name: pod.spec.serviceAccountName ?? 'default' }
    return async ({ audience, expirationSeconds }) => {
      const boundTo = { apiVersion: 'v1', kind: 'Pod', name, uid }
      const asked = { expirationSeconds, boundTo, ...(audience !== undefined && { audiences: [audience] }) }
      const { token, expirationTimestamp } = await requestToken(this.#deps.client, account, asked)
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

  async #removeOrphans(podUids: ReadonlySet<string>): Promise<void> {
    const root = podsFolder(this.#deps.folders)
    for (const uid of await readdir(root).catch(() => []))
      if (!podUids.has(uid)) await removePodFolder(path.join(root, uid), this.#deps.mounts)
  }
}

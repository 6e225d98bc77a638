import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { readObject } from '../../resources/read-objects.ts'
import { NODES, PODS } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'
import { signalName } from '../../shell/processes/signals.ts'
import type { ClusterNetwork } from '../network/cluster-network.ts'
import type { ContainerResources, ContainerSpec, PodRef } from '../runtime/container-spec.ts'
import type { PodFiles } from '../runtime/runtime.ts'
import { RuntimeError } from '../runtime/runtime-error.ts'
import type { OpenedContainer, PlayedContainer } from '../runtime/simulated/play.ts'
import { oomScoreOf } from '../types/oom-score.ts'
import type { Pod } from '../types/pod.ts'
import type { FileBudget } from '../volumes/file-budget.ts'
import { FileSystem } from '../volumes/file-system.ts'
import { directory, type FileTree, fileTree, regularFile } from '../volumes/file-tree.ts'
import type { ObjectSource } from '../volumes/object-source.ts'
import { PodVolumes, type SharedTrees } from '../volumes/pod-volumes.ts'
import type { IssuedToken } from '../volumes/service-account-tokens.ts'
import { VolumeError } from '../volumes/volume-payload.ts'
import { type Definition, definitionOf, environmentOf, factsOf, managedFiles, namesOf, podOf } from './container-facts.ts'
import type { ContainerWorld } from './container-world.ts'
import type { ImageTable } from './image-match.ts'
import { kernelParameters } from './kernel-parameters.ts'
import { machineOf } from './machine-of.ts'
import { ProcessList } from './process-list.ts'
import { ProcessNamespaces } from './process-namespaces.ts'
import { programContainer } from './program-container.ts'
import type { AnyImage } from './shipped/shipped-process.ts'
import { STAND_IN_TABLE } from './stand-in-table.ts'
import { BASE_FILES, layBase, type SystemView, systemMounts } from './system-files.ts'

export interface EngineDeps {
  readonly images: ImageTable
  readonly network: ClusterNetwork
  /** What the network and the name server of the cluster are made from. */
  readonly objects: Reader
  /** What a pod refers to. */
  readonly source: ObjectSource
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Shared by all files that containers write. */
  readonly budget: FileBudget
  /** The address of the cluster's name server. */
  readonly nameserver: string
  /** A client of the API as a pod's service account. */
  readonly clientOf: (pod: PodRef, serviceAccount: string) => Client
  /** Asks for a token as a node does. */
  readonly issueToken: (
    nodeName: string,
    request: {
      readonly pod: PodRef
      readonly serviceAccount: string
      readonly audience: string | undefined
      readonly expirationSeconds: number
    },
  ) => Promise<IssuedToken>
}

/** The node whose containers are played. */
export interface EngineNode {
  readonly name: string
  readonly ip: string
  readonly shared: SharedTrees
  /** Folders of this machine that replace folders of the node, by the node's path. */
  readonly folders: ReadonlyMap<string, string>
}

/** So much may a container write into its own files. */
export const OWN_FILES_BYTES = 64 * 1024 * 1024
const ROOT_OF_PROCESS = /^\/proc\/(\d{1,9})\/root$/

/** Makes what programs need in the containers of one node. */
export class Engine {
  readonly #deps: EngineDeps
  readonly #node: EngineNode
  readonly #volumes = new Map<string, PodVolumes>()
  readonly #open = new Set<PlayedContainer>()
  /** What containers write beside their images, by pod and name. */
  readonly #layers = new Map<string, Map<string, FileTree>>()
  readonly #namespaces = new ProcessNamespaces()

  constructor(deps: EngineDeps, node: EngineNode) {
    this.#deps = deps
    this.#node = node
  }

  async open(container: OpenedContainer): Promise<PlayedContainer> {
    const { spec, sandbox } = container
    const { clock, random, objects, network, source, nameserver } = this.#deps
    const { namespace, name } = spec.pod
    const known = await source.read([
      { ...PODS, namespace, name },
      { ...NODES, name: this.#node.name },
    ])
    const image = this.#deps.images.find(spec.image)
    const placeholder = image === undefined ? STAND_IN_TABLE.find(spec.image) : undefined
    const pod = podOf(container, known)
    const definition = definitionOf(pod, spec.name)
    const names = namesOf(container, pod, { nodeIp: this.#node.ip, nameserver })
    const { ips, hosts } = names
    const messagePath = definition?.terminationMessagePath || '/dev/termination-log'
    const workingDir = spec.workingDir ?? image?.workingDir ?? '/'
    let shown: SystemView | undefined
    let { resources } = container
    const fileSystem = await this.#files(container, {
      pod,
      definition,
      image: image ?? placeholder,
      managed: managedFiles(container, pod, names, messagePath),
      workingDir,
      view: () => shown,
    })
    const stack = network.open(this.#node.name, container.ips)
    const joined = this.#namespaces.join(spec, clock.now())
    const processes = new ProcessList(joined.namespace, { files: fileSystem, uid: container.user.uid })
    const machine = machineOf({
      capacity: () => readObject(known, NODES, '', this.#node.name)?.status?.capacity ?? {},
      startedAtMs: clock.now(),
      ips,
      fullName: hosts.find((h) => ips.includes(h.ip))?.names[0] ?? sandbox.hostname,
      processes,
      fileSystem,
      stack,
      random,
    })
    shown = {
      machine,
      processes,
      clock,
      hostname: sandbox.hostname,
      resources: () => resources,
      oomScore: definition === undefined ? 0 : oomScoreOf(pod, definition, machine.memoryBytes),
      noNewPrivileges: definition?.securityContext?.allowPrivilegeEscalation === false,
      parameters: kernelParameters(pod),
    }
    const world: ContainerWorld = {
      facts: factsOf(container, definition, { nodeName: this.#node.name, ips }),
      image,
      placeholder,
      environment: environmentOf(container, image),
      workingDir,
      processes,
      machine,
      groups: container.user.groups,
      stopSignal: signalName(spec.stopSignal ?? image?.stopSignal ?? 'SIGTERM'),
      fileSystem,
      mountPaths: new Set(spec.mounts.map(({ containerPath }) => path.posix.resolve('/', containerPath))),
      messagePath,
      network,
      stack,
      resolver: names.resolver,
      hosts,
      objects,
      clock,
      random,
      entered: container.entered,
      client: () => this.#deps.clientOf(spec.pod, pod.spec.serviceAccountName ?? 'default'),
      realFolder: (file) => this.#realFolder(file, spec, pod),
    }
    const update = (latest: ContainerResources) => {
      resources = latest
    }
    return this.#play(container, definition, world, { update, closed: () => joined.end() })
  }

  #play(
    { spec, log, behaviour, end }: OpenedContainer,
    definition: Definition,
    world: ContainerWorld,
    { update, closed }: { readonly update: (resources: ContainerResources) => void; readonly closed: () => void },
  ): PlayedContainer {
    const played = programContainer({
      spec,
      definition,
      world,
      log,
      behaviour,
      end,
      update,
      closed: () => {
        this.#open.delete(played)
        closed()
      },
    })
    this.#open.add(played)
    return played
  }

  /** What programs of a pod have written. */
  podFiles(uid: string): PodFiles | undefined {
    const volumes = this.#volumes.get(uid)
    if (volumes === undefined) return undefined
    const layers = new Map([...(this.#layers.get(uid) ?? [])].map(([name, tree]) => [name, tree.space.usedBytes]))
    return { layers, volumes: volumes.sizes() }
  }

  /** What a file of a volume holds; undefined: there is none. */
  readFile(uid: string, volume: string, file: string): string | undefined {
    return this.#volumes.get(uid)?.read(volume, file)
  }

  /** The API has the pod otherwise than before: what its volumes say of it follows at once. */
  podChanged(uid: string): void {
    this.#volumes.get(uid)?.refresh()
  }

  /** Nothing of it runs on. */
  close(): void {
    for (const played of [...this.#open]) played.close()
    for (const volumes of this.#volumes.values()) volumes.close()
  }

  podGone(uid: string): void {
    this.#volumes.get(uid)?.close()
    this.#volumes.delete(uid)
    for (const layer of this.#layers.get(uid)?.values() ?? []) this.#forgetLayer(layer)
    this.#layers.delete(uid)
    this.#namespaces.podGone(uid)
  }

  #forgetLayer(layer: FileTree | undefined): void {
    if (layer !== undefined) this.#deps.budget.forget(layer.space)
  }

  async #files(
    { spec, ips, user }: OpenedContainer,
    { pod, definition, image, managed, workingDir, view }: FilesInit,
  ): Promise<FileSystem> {
    const now = () => this.#deps.clock.now()
    const root = fileTree(OWN_FILES_BYTES, { mtimeMs: now() })
    const layers = this.#layers.get(spec.pod.uid) ?? new Map<string, FileTree>()
    this.#forgetLayer(layers.get(spec.name))
    this.#layers.set(spec.pod.uid, layers.set(spec.name, root))
    const { uid, gid } = user
    const othersAt = (at: string) => {
      const pid = ROOT_OF_PROCESS.exec(at)?.[1]
      return pid === undefined ? undefined : view()?.processes.filesOf(Number(pid))
    }
    const config = { root, now, uid, gid, othersAt }
    const own = new FileSystem({ ...config, readOnlyRoot: false, mounts: [] })
    layBase(own, workingDir)
    for (const [file, content] of Object.entries(image?.files ?? {})) {
      own.makeDirectory(path.posix.dirname(file), { recursive: true })
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      // What begins like a script is there to be run.
      own.write(file, bytes, { mode: bytes[0] === 0x23 && bytes[1] === 0x21 ? 0o755 : 0o644 })
    }
    // What the image and the node bring is not the container's doing.
    root.space.budget = this.#deps.budget
    const tree: FileTree = { root: directory(), space: root.space }
    const given = [...managed].map(([at, text]) => ({
      path: at,
      tree,
      readOnly: false,
      node: regularFile(Buffer.from(text), { mtimeMs: now() }),
    }))
    const volumes = this.#volumesOf(pod, ips)
    try {
      const mounts = await Promise.all(spec.mounts.filter((m) => m.hostPath === undefined).map((m) => volumes.mountPoint(m)))
      const readOnlyRoot = definition?.securityContext?.readOnlyRootFilesystem === true
      return new FileSystem({
        ...config,
        readOnlyRoot,
        // What the manifest mounts goes before what every container has.
        mounts: [...systemMounts(Object.keys(image?.files ?? {}), view), ...given, ...mounts].filter(
          (m, i, all) => all.findLastIndex((other) => other.path === m.path) === i,
        ),
      })
    } catch (error) {
      if (error instanceof VolumeError) throw new RuntimeError('runtime', error.message, { cause: error })
      throw error
    }
  }

  #volumesOf(pod: Pod, podIps: readonly string[]): PodVolumes {
    const uid = pod.metadata.uid ?? ''
    const known = this.#volumes.get(uid)
    if (known !== undefined) return known
    const { source, clock, random, log, budget, issueToken } = this.#deps
    const ref = { uid, name: pod.metadata.name ?? '', namespace: pod.metadata.namespace ?? '' }
    const made = new PodVolumes(pod, {
      source,
      clock,
      random,
      log,
      budget,
      issueToken: (request) =>
        issueToken(this.#node.name, { ...request, pod: ref, serviceAccount: pod.spec.serviceAccountName ?? 'default' }),
      shared: this.#node.shared,
      imageFiles: (reference) => ({ ...BASE_FILES, ...this.#deps.images.find(reference)?.files }),
      hostIp: this.#node.ip,
      podIps,
      nodeName: this.#node.name,
    })
    this.#volumes.set(uid, made)
    return made
  }

  #realFolder(file: string, spec: ContainerSpec, pod: Pod): string | undefined {
    const volumes = (pod.spec.volumes ?? []) as readonly { readonly name: string; readonly hostPath?: { readonly path: string } }[]
    for (const { volume, containerPath } of spec.mounts) {
      const below = path.posix.relative(containerPath, file)
      const host = volumes.find((v) => v.name === volume)?.hostPath?.path
      if (host === undefined || below.startsWith('..')) continue
      const at = path.posix.join(host, below)
      for (const [folder, real] of this.#node.folders) {
        const rest = path.posix.relative(folder, at)
        if (!rest.startsWith('..')) return path.join(real, rest)
      }
    }
    return undefined
  }
}

interface FilesInit {
  readonly pod: Pod
  readonly definition: Definition
  readonly image: AnyImage | undefined
  /** Files that the node gives every container, by path. */
  readonly managed: ReadonlyMap<string, string>
  readonly workingDir: string
  readonly view: () => SystemView | undefined
}

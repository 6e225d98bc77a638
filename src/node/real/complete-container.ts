import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ContainerResources, ContainerSpec, Device, Mount, SandboxSpec } from '../runtime/container-spec.ts'
import { type CompleteRequest, CompletionError } from '../types/admit-handler.ts'
import { oomScoreOf } from '../types/oom-score.ts'
import type { Container, Pod } from '../types/pod.ts'
import { VolumeError } from '../volumes/volume-payload.ts'
import { etcHosts } from './etc-hosts.ts'
import { containerAnnotations } from './isolation/container-annotations.ts'
import { containerSecurity } from './isolation/container-security.ts'
import { CPU_PERIOD_US } from './isolation/cpu-amounts.ts'
import type { PodFolders } from './pod-folders.ts'
import type { DiskVolumes } from './volumes/disk-volumes.ts'

export interface CompletionDeps {
  /** The request of the pod's sandbox. */
  readonly sandbox: SandboxSpec
  readonly volumes: Pick<DiskVolumes, 'place' | 'devicesOf'>
  readonly folders: PodFolders
  /** The node's own `/etc/hosts`. */
  readonly nodeHosts: () => Promise<string>
  readonly clusterDomain: string
  readonly seccompFolder: string
  /** Whether the runtime can make mounts below a read-only one read-only too. */
  readonly recursiveReadOnlyMounts: boolean
  readonly memoryCapacityBytes: number
  readonly hugePageSizes: readonly string[]
  /** A name that no attempt of the container had before. */
  readonly serial: () => string
}

/** The spec of a container with what its machine knows: paths, ids, amounts. @throws {CompletionError} */
export async function completeContainer(request: CompleteRequest, deps: CompletionDeps): Promise<ContainerSpec> {
  const { pod, container, spec, image } = request
  const { userIds } = deps.sandbox.isolation?.security.namespaces ?? {}
  const placed = [...(await volumeMounts(request, deps)), ...(await ownMounts(request, deps))]
  const mounts = userIds === undefined ? placed : placed.map((mount) => (mount.image === undefined ? { ...mount, userIds } : mount))
  return {
    ...spec,
    mounts,
    devices: [...spec.devices, ...volumeDevices(request, deps)],
    annotations: { ...spec.annotations, ...containerAnnotations(pod, container, spec.attempt) },
    resources: completeResources(pod, container, spec.resources, deps),
    isolation: {
      sandbox: deps.sandbox,
      logPath: path.join(spec.name, `${spec.attempt}.log`),
      stdinOnce: container.stdinOnce === true,
      security: containerSecurity({ pod, container, image, userIds, seccompFolder: deps.seccompFolder }),
    },
  }
}

async function volumeMounts({ spec, container }: CompleteRequest, deps: CompletionDeps): Promise<readonly Mount[]> {
  const { mounts, name } = spec
  const { volumes } = deps
  const placed: Mount[] = []
  for (const [index, given] of mounts.entries()) {
    const mount = recursively(given, container, deps)
    // What plugins add has its path already.
    if (mount.hostPath !== undefined) placed.push(mount)
    else placed.push(await volumes.place({ mount, container: name, index }).catch(asCompletionError))
  }
  return placed
}

function volumeDevices({ container }: CompleteRequest, { volumes }: CompletionDeps): readonly Device[] {
  try {
    return volumes.devicesOf(container)
  } catch (error) {
    return asCompletionError(error)
  }
}

/** With its mounts below read-only too, where the container wants that and the runtime can do it. */
function recursively(mount: Mount, container: Container, { recursiveReadOnlyMounts: can }: CompletionDeps): Mount {
  const wanted = container.volumeMounts?.find((m) => m.mountPath === mount.containerPath)?.recursiveReadOnly ?? 'Disabled'
  if (!mount.readOnly || wanted === 'Disabled' || (wanted === 'IfPossible' && !can)) return mount
  if (!can) throw new CompletionError(`volume "${mount.volume}" requested recursive read-only mode, but the runtime does not support it`)
  return { ...mount, recursiveReadOnly: true }
}

function asCompletionError(error: unknown): never {
  throw error instanceof VolumeError ? new CompletionError(error.message, { cause: error }) : error
}

/** The files that every container is given: names of hosts, and the one for its last words. */
async function ownMounts(request: CompleteRequest, deps: CompletionDeps): Promise<readonly Mount[]> {
  const { container, spec, podIps, pod } = request
  const { folders } = deps
  const mounts: Mount[] = []
  const taken = new Set(spec.mounts.map((m) => m.containerPath))
  if (!taken.has('/etc/hosts') && (podIps.length > 0 || pod.spec.hostNetwork)) {
    await writeFile(folders.etcHosts, await hostsOf(request, deps), { mode: 0o644 })
    mounts.push({ volume: '', containerPath: '/etc/hosts', hostPath: folders.etcHosts, readOnly: false })
  }
  const { terminationMessagePath = '/dev/termination-log' } = container
  if (terminationMessagePath !== '' && !taken.has(terminationMessagePath)) {
    const folder = folders.container(spec.name)
    await mkdir(folder, { recursive: true, mode: 0o750 })
    const file = path.join(folder, deps.serial())
    await writeFile(file, '')
    // For any user of the container; the umask of this process does not apply.
    await chmod(file, 0o666)
    mounts.push({ volume: '', containerPath: terminationMessagePath, hostPath: file, readOnly: false })
  }
  return mounts
}

async function hostsOf({ pod, podIps }: CompleteRequest, { sandbox, clusterDomain, nodeHosts }: CompletionDeps): Promise<string> {
  const { hostname } = sandbox
  return etcHosts({ pod, podIps, hostname, clusterDomain, nodeHosts: pod.spec.hostNetwork ? await nodeHosts() : '' })
}

/** What the kubelet says of every container, and what follows from the machine. Pure. */
export function completeResources(
  pod: Pod,
  container: Container,
  resources: ContainerResources,
  deps: Pick<CompletionDeps, 'memoryCapacityBytes' | 'hugePageSizes'>,
): ContainerResources {
  const limits = resources.hugePageLimits ?? {}
  return {
    ...resources,
    cpuPeriodUs: CPU_PERIOD_US,
    oomScoreAdj: oomScoreOf(pod, container, deps.memoryCapacityBytes),
    hugePageLimits: Object.fromEntries(deps.hugePageSizes.map((size) => [size, limits[size] ?? 0])),
    ...(resources.memoryLimitBytes !== undefined && { memorySwapLimitBytes: resources.memoryLimitBytes }),
  }
}

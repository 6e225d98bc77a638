import { messageOf } from '../../../base/message-of.ts'
import { SIMULATED_REASON } from '../../../machinery/simulated-annotations.ts'
import type { ResourceList, Service } from '../../../resources/types/core.ts'
import type { PodMetrics } from '../../metrics/pod-metrics.ts'
import type { ContainerAdditions, ContainerSpec } from '../../runtime/container-spec.ts'
import { withAdditions } from '../../runtime/container-spec.ts'
import type { Image, Runtime, SandboxStatus } from '../../runtime/runtime.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import { type CompleteRequest, CompletionError, type StartedContainer } from '../../types/admit-handler.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import { type Container, type Pod, podRef } from '../../types/pod.ts'
import { containerNotes, type Note } from '../report/notes.ts'
import { ArgumentListError } from '../spec/expand.ts'
import type { ReadVolumeFile } from '../spec/file-key.ts'
import type { References } from '../spec/references.ts'
import { referredBy, resolveContainer } from '../spec/resolve-container.ts'
import { EnvironmentError } from '../spec/resolve-environment.ts'
import { serviceEnvironment } from '../spec/service-environment.ts'
import { type StopperDeps, stopContainer } from './container-stopper.ts'
import { ensureImage, type ImageDeps } from './ensure-image.ts'
import { rootFault } from './non-root.ts'
import { runHook } from './run-hook.ts'
import { failedImages, type VolumeImages } from './volume-images.ts'

export interface StarterDeps extends StopperDeps, ImageDeps {
  readonly runtime: Runtime
  /** Counts what is started. */
  readonly metrics?: PodMetrics | undefined
  readonly references: References
  /** The services of a namespace, and `default/kubernetes`. */
  readonly services: (namespace: string) => readonly Service[]
  /** The additions of the admission handlers for this container. */
  readonly additions: (pod: Pod, container: Container) => readonly ContainerAdditions[]
  /** What the machine adds to a container; rejects when it cannot be created so. */
  readonly completeContainer: (request: CompleteRequest, signal: AbortSignal) => Promise<ContainerSpec>
  /** The handlers' last step; rejects if the container cannot be created. */
  readonly beforeStart: (pod: Pod, container: Container, signal: AbortSignal) => Promise<void>
  readonly afterStart: (started: StartedContainer) => Promise<void>
}

export interface StartRequest {
  readonly pod: Pod
  readonly record: ContainerRecord
  readonly attempt: number
  readonly sandbox: Pick<SandboxStatus, 'id' | 'attempt'>
  readonly podIps: readonly string[]
  readonly hostIp: string
  readonly allocatable: ResourceList
  readonly volumeImages: VolumeImages
  /** The names of the pod's containers that the runtime had when the start was planned. */
  readonly seen: readonly string[]
  /** Grace period for a container whose postStart hook failed. */
  readonly graceMs: number
}

/** A start that failed is retried after a delay. */
export type StartOutcome = { readonly kind: 'started' } | { readonly kind: 'failed'; readonly reason: string; readonly message: string }

/** Gets the image, resolves the container, creates and starts it, runs its postStart hook; each step records the kubelet's event. */
export async function startContainer(deps: StarterDeps, request: StartRequest, signal: AbortSignal): Promise<StartOutcome> {
  const { pod, record } = request
  const { container } = record
  const note = containerNotes(deps.events, pod, container, record.role)
  const lacking = failedImages(request.volumeImages, container)
  for (const { reason } of lacking) note('Warning', 'Failed', `Error: ${reason}`)
  const last = lacking.at(-1)
  if (last !== undefined) return last
  const got = await ensureImage(deps, { pod, container, note }, signal)
  if (got.kind === 'failed') return got
  const fail = (reason: string, message: string): StartOutcome => {
    note('Warning', 'Failed', `Error: ${message}`)
    return { kind: 'failed', reason, message }
  }
  const { targetContainerName: target } = container
  if (target && !request.seen.includes(target)) return fail('CreateContainerConfigError', `unable to find target container ${target}`)
  const fault = rootFault(pod, container, got.image)
  if (fault !== undefined) return fail('CreateContainerConfigError', fault)
  try {
    await deps.beforeStart(pod, container, signal)
  } catch (error) {
    signal.throwIfAborted()
    return fail('CreateContainerConfigError', messageOf(error))
  }
  let id: string
  try {
    const spec = await specOf(deps, request, got.image, signal)
    id = await deps.runtime.createContainer(request.sandbox.id, spec, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EnvironmentError || error instanceof CompletionError) return fail('CreateContainerConfigError', error.message)
    if (error instanceof ArgumentListError) return fail('RunContainerError', startFault(container, error.message))
    if (error instanceof RuntimeError) return fail('CreateContainerError', error.message)
    throw error
  }
  note('Normal', 'Created', 'Container created')
  signal.throwIfAborted()
  try {
    await deps.runtime.startContainer(id, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RuntimeError) return fail('RunContainerError', error.message)
    throw error
  }
  note('Normal', 'Started', 'Container started')
  const remark = request.attempt === 0 ? deps.runtime.remark?.(id) : undefined
  if (remark !== undefined) note('Normal', SIMULATED_REASON, remark)
  await deps.afterStart({ pod: podRef(pod), name: container.name, attempt: request.attempt, id })
  return container.lifecycle?.postStart === undefined ? { kind: 'started' } : afterStart(deps, request, { id, note }, signal)
}

/** The whole request of the container to the runtime. */
async function specOf(deps: StarterDeps, request: StartRequest, image: Image, signal: AbortSignal): Promise<ContainerSpec> {
  const { pod, record, sandbox, podIps } = request
  const { container } = record
  const resolved = resolveContainer({ ...(await gather(deps, request)), image })
  const spec = deps.additions(pod, container).reduce(withAdditions, resolved)
  return deps.completeContainer({ pod, container, spec, image, sandboxAttempt: sandbox.attempt, podIps }, signal)
}

/** The message of containerd and runc if the kernel refuses to start the program. */
function startFault({ command, args, image }: Container, why: string): string {
  const name = command?.[0] ?? args?.[0] ?? image
  const fault = `unable to start container process: error during container init: exec ${name}: ${why}`
  return `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ${fault}: unknown`
}

/** Runs the postStart hook; a container whose hook fails is killed. */
async function afterStart(
  deps: StarterDeps,
  request: StartRequest,
  { id, note }: { readonly id: string; readonly note: Note },
  signal: AbortSignal,
): Promise<StartOutcome> {
  const { pod, record, graceMs } = request
  const podIp = request.podIps[0] ?? ''
  const hook = record.container.lifecycle?.postStart
  if (hook === undefined) return { kind: 'started' }
  try {
    await runHook(deps, hook, { pod, container: record.container, containerId: id, podIp }, signal)
    return { kind: 'started' }
  } catch (error) {
    signal.throwIfAborted()
    note('Warning', 'FailedPostStartHook', 'PostStartHook failed')
    const running: ContainerRecord = { ...record, state: { kind: 'running', id, startedAtMs: deps.clock.now() } }
    await stopContainer(deps, { pod, record: running, message: 'FailedPostStartHook', graceMs, podIp }, signal)
    return { kind: 'failed', reason: 'PostStartHookError', message: messageOf(error) }
  }
}

/** The volume files of `fileKeyRef` variables, read before the variables are resolved. */
async function readFiles({ pod, record }: StartRequest, runtime: Runtime): Promise<ReadVolumeFile> {
  const refs = (record.container.env ?? []).flatMap(({ valueFrom }) => valueFrom?.fileKeyRef ?? [])
  const texts = new Map<string, string | undefined>()
  for (const { volumeName, path } of refs)
    texts.set(`${volumeName}:${path}`, await runtime.readVolumeFile?.(pod.metadata.uid ?? '', volumeName, path))
  return (volume, path) => texts.get(`${volume}:${path}`)
}

const NO_OBJECTS: ReadonlyMap<string, never> = new Map<string, never>()

/** Loads everything outside the pod that the container's definition refers to. */
async function gather({ references, services, runtime }: StarterDeps, request: StartRequest) {
  const { pod, record, attempt, podIps, hostIp, allocatable } = request
  const namespace = pod.metadata.namespace ?? ''
  const { configMaps, secrets } = referredBy(record.container)
  const find = async <T>(names: readonly string[], look: (namespace: string, name: string) => Promise<T | undefined>) => {
    const found = new Map<string, T>()
    await Promise.all(
      names.map(async (name) => {
        const object = await look(namespace, name)
        if (object !== undefined) found.set(name, object)
      }),
    )
    return found
  }
  const links = pod.spec.enableServiceLinks !== false
  const seen = services(namespace).filter((s) => links || s.metadata.name === 'kubernetes')
  return {
    pod,
    container: record.container,
    attempt,
    podIps,
    hostIp,
    allocatable,
    configMaps: configMaps.length === 0 ? NO_OBJECTS : await find(configMaps, references.configMap),
    secrets: secrets.length === 0 ? NO_OBJECTS : await find(secrets, references.secret),
    services: serviceEnvironment(seen),
    readFile: await readFiles(request, runtime),
  }
}

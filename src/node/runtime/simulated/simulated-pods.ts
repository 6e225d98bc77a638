import { ContainerLog, type LogLimits } from '../container-log.ts'
import type { ContainerSpec, SandboxSpec } from '../container-spec.ts'
import { withDefaultTag } from '../default-tag.ts'
import type { ContainerStatus, SandboxStatus } from '../runtime.ts'
import { RuntimeError } from '../runtime-error.ts'
import type { Behaviour, SimulatedContainer } from './behaviour.ts'
import { COMMON, commonContainer, commonSandbox } from './common-specs.ts'
import type { PlayedContainer } from './play.ts'
import type { SimulatedProcess } from './simulated-process.ts'

export interface Sandbox {
  readonly spec: SandboxSpec
  status: SandboxStatus
}

export interface Container {
  readonly spec: ContainerSpec
  readonly log: ContainerLog
  status: ContainerStatus & Required<Pick<ContainerStatus, 'user'>>
  behaviour: Behaviour
  process: SimulatedProcess | undefined
  /** Set once a program runs in it. */
  played?: PlayedContainer
  opening?: Promise<PlayedContainer>
  /** Set by the first connection to it: the program that serves its ports while a script simulates its main process. */
  placeholder?: Promise<void>
}

interface SimulatedPod {
  /** Newest first. */
  sandboxes: Sandbox[]
  /** Newest first. */
  containers: Container[]
}

/** The input of a new container. */
export interface NewContainer {
  readonly id: string
  readonly sandboxId: string
  readonly spec: ContainerSpec
  /** The user of its image. */
  readonly imageUser: number
  readonly createdAtMs: number
}

const NO_POD: Readonly<SimulatedPod> = { sandboxes: [], containers: [] }

/** The sandboxes and containers of one simulated node. */
export class SimulatedPods {
  readonly #sandboxes = new Map<string, Sandbox>()
  readonly #containers = new Map<string, Container>()
  readonly #pods = new Map<string, SimulatedPod>()
  readonly #byIp = new Map<string, Sandbox>()
  readonly #logLimits: LogLimits | undefined

  constructor(logLimits?: LogLimits) {
    this.#logLimits = logLimits
  }

  has(podUid: string): boolean {
    return this.#pods.has(podUid)
  }

  sandbox(id: string): Sandbox | undefined {
    return this.#sandboxes.get(id)
  }

  /** @throws {RuntimeError} `not-found` */
  readySandbox(id: string): Sandbox {
    const sandbox = this.#sandboxes.get(id)
    if (sandbox?.status.state !== 'ready') throw new RuntimeError('not-found', `sandbox ${id} is not ready`)
    return sandbox
  }

  /** The sandbox that has this address. */
  sandboxAt(ip: string): Sandbox | undefined {
    return this.#byIp.get(ip)
  }

  /** Newest first; without a uid those of all pods. */
  sandboxes(podUid?: string): readonly Sandbox[] {
    if (podUid === undefined) return [...this.#pods.values()].flatMap((pod) => pod.sandboxes)
    return (this.#pods.get(podUid) ?? NO_POD).sandboxes
  }

  /** Newest first; without a uid those of all pods. */
  containers(podUid?: string): readonly Container[] {
    if (podUid === undefined) return [...this.#pods.values()].flatMap((pod) => pod.containers)
    return (this.#pods.get(podUid) ?? NO_POD).containers
  }

  running(podUid: string): readonly Container[] {
    return this.containers(podUid).filter((c) => c.status.state === 'running')
  }

  find(id: string): Container | undefined {
    return this.#containers.get(id)
  }

  /** @throws {RuntimeError} `not-found` */
  container(id: string): Container {
    const container = this.#containers.get(id)
    if (container === undefined) throw new RuntimeError('not-found', `container ${id} does not exist`)
    return container
  }

  /** @throws {RuntimeError} where it does not run */
  runningContainer(id: string): Container {
    const container = this.container(id)
    if (container.status.state !== 'running') throw new RuntimeError('runtime', `container ${id} is not running`)
    return container
  }

  /** The container as scripts and programs get it. */
  describe({ spec, status }: Container): SimulatedContainer {
    const sandbox = this.#sandboxes.get(status.sandboxId)
    if (sandbox === undefined) throw new Error('invariant: a container lives in a sandbox')
    return { spec, sandbox: sandbox.spec }
  }

  addSandbox(id: string, spec: SandboxSpec, ips: readonly string[], createdAtMs: number): void {
    const status: SandboxStatus = {
      id,
      pod: spec.pod,
      attempt: spec.attempt,
      state: 'ready',
      createdAtMs,
      ips,
    }
    const sandbox: Sandbox = { spec: commonSandbox(spec), status }
    this.#sandboxes.set(id, sandbox)
    const pod = this.#pod(spec.pod.uid)
    pod.sandboxes = [sandbox, ...pod.sandboxes]
    for (const ip of ips) this.#byIp.set(ip, sandbox)
  }

  /** Releases its addresses. */
  disconnect(sandbox: Sandbox): void {
    for (const ip of sandbox.status.ips) this.#byIp.delete(ip)
    sandbox.status = { ...sandbox.status, state: 'not-ready' }
  }

  addContainer({ id, sandboxId, spec: given, imageUser, createdAtMs }: NewContainer): Container {
    const spec = commonContainer(given, this.#sandboxes.get(sandboxId)?.spec.pod ?? given.pod)
    const { pod, name, attempt, image, imageId, annotations, resources, user } = spec
    const { uid = imageUser, gid = 0 } = user
    const status: Container['status'] = {
      id,
      sandboxId,
      pod,
      name,
      attempt,
      state: 'created',
      createdAtMs,
      image: COMMON.of({ name: withDefaultTag(image), id: imageId }),
      annotations,
      resources,
      user: COMMON.of({ uid, gid, supplementalGroups: [...new Set([gid, ...user.supplementalGroups])] }),
    }
    const container: Container = { spec, log: new ContainerLog(this.#logLimits), status, behaviour: {}, process: undefined }
    this.#containers.set(id, container)
    const owner = this.#pod(pod.uid)
    owner.containers = [container, ...owner.containers]
    return container
  }

  /** True if the pod has no sandboxes and containers left. */
  removeSandbox(id: string): boolean {
    const sandbox = this.#sandboxes.get(id)
    if (sandbox === undefined) return false
    this.#sandboxes.delete(id)
    const pod = this.#pod(sandbox.spec.pod.uid)
    pod.sandboxes = pod.sandboxes.filter((s) => s !== sandbox)
    return this.#forgetIfEmpty(sandbox.spec.pod.uid)
  }

  /** True if the pod has no sandboxes and containers left. */
  removeContainer(container: Container): boolean {
    this.#containers.delete(container.status.id)
    const { uid } = container.spec.pod
    const pod = this.#pod(uid)
    pod.containers = pod.containers.filter((c) => c !== container)
    return this.#forgetIfEmpty(uid)
  }

  #pod(uid: string): SimulatedPod {
    const known = this.#pods.get(uid) ?? { sandboxes: [], containers: [] }
    this.#pods.set(uid, known)
    return known
  }

  #forgetIfEmpty(uid: string): boolean {
    const { sandboxes, containers } = this.#pod(uid)
    const empty = sandboxes.length === 0 && containers.length === 0
    if (empty) this.#pods.delete(uid)
    return empty
  }
}

import type { Clock } from '../../../base/clock.ts'
import { untilAborted } from '../../../base/on-abort.ts'
import type { Random } from '../../../base/random.ts'
import type { Later } from '../../../base/steps.ts'
import type { LogLimits } from '../container-log.ts'
import type { ContainerSpec, SandboxSpec } from '../container-spec.ts'
import type { PodNetwork } from '../pod-network.ts'
import type { Runtime, RuntimeEvent } from '../runtime.ts'
import { RuntimeError } from '../runtime-error.ts'
import { createAddressPool } from './address-pool.ts'
import { defaultScript, type Script } from './behaviour.ts'
import { ContainerEnvironments } from './container-environments.ts'
import { ContainerLife } from './container-life.ts'
import type { ContainerPrograms } from './play.ts'
import { SimulatedExec } from './simulated-exec.ts'
import { SimulatedImages } from './simulated-images.ts'
import { type Container, type Sandbox, SimulatedPods } from './simulated-pods.ts'

export interface SimulatedRuntimeDeps {
  readonly clock: Clock
  readonly random: Random
  readonly script?: Script
  /** What pod addresses begin with, for each family: `10.244.3.` gives 10.244.3.2 and so on. */
  readonly podSubnets: readonly string[]
  /** Programs in place of the script, and commands for exec. Default: none. */
  readonly programs?: ContainerPrograms
  /** Why pods get no network now. Default: they do. */
  readonly networkFault?: () => Promise<string | undefined>
  /** Default: the kubelet's. */
  readonly logLimits?: LogLimits
}

/** A pod that ran before this process started, according to its status in the API. */
export interface RestoredPod {
  /** `ips`: none in the host network. */
  readonly sandbox: { readonly spec: SandboxSpec; readonly ips: readonly string[] }
  readonly containers: readonly { readonly spec: ContainerSpec; readonly id: string; readonly startedAtMs: number }[]
}

export interface SimulatedRuntime extends Runtime {
  /** Restores a pod that ran before this process started. Does nothing if the pod exists already. */
  restore(pod: RestoredPod): void
  /** Ends a running container with this code, as if it had ended by itself. */
  end(id: string, exitCode: number): void
  /** Whether the probes of a container at this address succeed now. On the host network, `containerId` identifies the container. */
  readyAt(ip: string, containerId?: string): boolean
  /** How probes and hooks reach an address with programs; undefined: the script responds. */
  networkAt(ip: string, port: number): Later<PodNetwork | undefined>
  /** Called for a connection to this address: starts the programs that serve scripted containers. False: there is no such container. */
  wake(ip: string): Promise<boolean>
  /** Whether a pod has this address now. */
  hasAddress(ip: string): boolean
}

/** A runtime that runs nothing: containers are states in memory that follow the script. */
export function createSimulatedRuntime(deps: SimulatedRuntimeDeps): SimulatedRuntime {
  const { clock, random, programs, script = defaultScript } = deps
  const pods = new SimulatedPods(deps.logLimits)
  const images = new SimulatedImages(script, clock)
  const addresses = createAddressPool(deps.podSubnets)
  const listeners = new Set<(event: RuntimeEvent) => void>()
  const emit = (event: RuntimeEvent) => {
    for (const listener of listeners) listener(event)
  }
  const environments = programs && new ContainerEnvironments(pods, programs)
  const life = new ContainerLife({ pods, script, clock, environments, emit })
  const exec = new SimulatedExec({ pods, script, clock, life, environments })

  const addContainer = (id: string, sandboxId: string, spec: ContainerSpec) =>
    pods.addContainer({ id, sandboxId, spec, imageUser: images.userOf(spec.image), createdAtMs: clock.now() })

  /** Programs of another process end a moment after they were killed. */
  const kill = async (containers: readonly Container[]) => {
    for (const { process } of containers) process?.kill(137)
    for (const { process } of containers) if (process !== undefined) await process.over()
  }

  const stopSandbox = async (sandbox: Sandbox) => {
    if (sandbox.status.state === 'not-ready') return
    const { id, ips, pod } = sandbox.status
    await kill(pods.containers(pod.uid).filter((c) => c.status.sandboxId === id))
    pods.disconnect(sandbox)
    addresses.give(ips)
    programs?.networkGone(ips)
    emit({ kind: 'sandbox', podUid: pod.uid })
  }

  const removeContainer = async (id: string) => {
    const container = pods.find(id)
    if (container === undefined) return
    await kill([container])
    container.log.end()
    const { uid } = container.spec.pod
    if (pods.removeContainer(container)) programs?.podGone(uid)
    emit({ kind: 'removed', podUid: uid, containerId: id })
  }

  return {
    name: 'simulated',
    version: '0.1.0',
    async status() {
      const message = await deps.networkFault?.()
      return { ready: true, networkReady: message === undefined, ...(message !== undefined && { message }) }
    },

    async runSandbox(spec) {
      const id = random.uuid()
      pods.addSandbox(id, spec, spec.hostNetwork ? [] : (spec.addresses ?? addresses.take()), clock.now())
      emit({ kind: 'sandbox', podUid: spec.pod.uid })
      return id
    },
    async stopSandbox(id) {
      const sandbox = pods.sandbox(id)
      if (sandbox !== undefined) await stopSandbox(sandbox)
    },
    async removeSandbox(id) {
      const sandbox = pods.sandbox(id)
      if (sandbox === undefined) return
      await stopSandbox(sandbox)
      const { uid } = sandbox.spec.pod
      for (const c of [...pods.containers(uid)]) if (c.status.sandboxId === id) await removeContainer(c.status.id)
      if (pods.removeSandbox(id)) programs?.podGone(uid)
    },
    sandboxes: ({ podUid }) => pods.sandboxes(podUid).map((s) => s.status),

    imageStatus: async (name) => images.find(name),
    pullImage: ({ image }, signal) => images.pull(image, signal),
    images: async () => images.all(),
    removeImage: async (name) => images.remove(name),

    async createContainer(sandboxId, spec) {
      pods.readySandbox(sandboxId)
      const { pod, name, attempt } = spec
      if (pods.containers(pod.uid).some((c) => c.spec.name === name && c.spec.attempt === attempt))
        throw new RuntimeError('already-exists', `container ${name} attempt ${attempt} exists`)
      const id = `simulated://${random.uuid()}`
      addContainer(id, sandboxId, spec)
      emit({ kind: 'created', podUid: pod.uid, containerId: id })
      return id
    },
    startContainer: async (id) => life.start(pods.container(id)),
    stopContainer: async (id, graceMs, signal) => pods.find(id)?.process?.stop(graceMs, signal),
    removeContainer: (id) => removeContainer(id),
    containers: ({ podUid }) => pods.containers(podUid).map((c) => c.status),
    async updateResources(id, resources) {
      const container = pods.container(id)
      container.status = { ...container.status, resources: { ...container.status.resources, ...resources } }
      container.played?.update(container.status.resources)
    },

    execSync: async (id, command, timeoutMs, signal) => exec.toEnd(pods.runningContainer(id), command, timeoutMs, signal),
    exec: async (id, command, streams, signal) => exec.onStreams(pods.runningContainer(id), command, streams, signal),
    async attach(id, streams, signal) {
      const { played, log } = pods.runningContainer(id)
      if (played?.main !== undefined) return played.attach(streams, signal)
      for await (const text of log.read({ tailLines: 0, follow: true }, signal)) await streams.stdout?.write(Buffer.from(text))
    },
    async portForward(sandboxId, port, connection) {
      const sandbox = pods.readySandbox(sandboxId)
      if (sandbox.status.ips.length > 0) await environments?.wake(sandbox.spec.pod.uid, (c) => life.isReady(c))
      if ((await programs?.forward(sandbox.status.ips, port, connection)) === true) return
      await connection.sink.end()
      throw new RuntimeError('runtime', `nothing listens on port ${port} in a simulated container`)
    },

    remark(id) {
      const container = pods.find(id)
      return container && life.remark(container)
    },
    outOfMemory: (id) => pods.find(id)?.process?.kill(137, 'OOMKilled'),
    podFiles: (uid) => programs?.podFiles(uid),
    readVolumeFile: (uid, volume, path) => programs?.readFile(uid, volume, path),
    podChanged: (uid) => programs?.podChanged(uid),
    async stats({ podUid }) {
      const atMs = clock.now()
      const running = pods.containers(podUid).filter((c) => c.status.state === 'running')
      return running.map(({ status: { id, name, pod } }) => ({ containerId: id, name, pod, atMs, cpuNanoseconds: 0, memoryBytes: 0 }))
    },
    logs: async (id, options, signal) => pods.find(id)?.log.read(options, signal),
    async events(listener, signal) {
      if (signal.aborted) return
      listeners.add(listener)
      await untilAborted(signal)
      listeners.delete(listener)
    },

    restore({ sandbox, containers }) {
      if (pods.has(sandbox.spec.pod.uid)) return
      const sandboxId = random.uuid()
      addresses.claim(sandbox.ips)
      pods.addSandbox(sandboxId, sandbox.spec, sandbox.ips, clock.now())
      for (const { spec, id, startedAtMs } of containers) {
        images.restore(spec.image)
        life.resume(addContainer(id, sandboxId, spec), startedAtMs)
      }
    },
    end: (id, exitCode) => pods.find(id)?.process?.kill(exitCode),
    readyAt(ip, containerId = '') {
      const asking = pods.find(containerId)?.spec.pod.uid
      const host = asking === undefined ? undefined : pods.sandboxes(asking).findLast(({ spec }) => spec.hostNetwork)
      const sandbox = pods.sandboxAt(ip) ?? host
      return sandbox !== undefined && pods.running(sandbox.spec.pod.uid).every((c) => life.isReady(c))
    },
    networkAt(ip, port) {
      const sandbox = pods.sandboxAt(ip)
      const running = sandbox === undefined ? [] : pods.running(sandbox.spec.pod.uid)
      // The script responds on any port of its containers.
      if (running.some((c) => c.placeholder !== undefined)) return undefined
      const all = running.length > 0 && running.every((c) => c.played?.main !== undefined)
      return programs?.networkAt(ip, port, all)
    },
    async wake(ip) {
      const sandbox = pods.sandboxAt(ip)
      return sandbox !== undefined && (await environments?.wake(sandbox.spec.pod.uid, (c) => life.isReady(c))) === true
    },
    hasAddress: (ip) => pods.sandboxAt(ip) !== undefined,
  }
}

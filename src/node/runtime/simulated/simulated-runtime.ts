import type { Clock } from '../../../base/clock.ts'
import { CommonValues } from '../../../base/collections/common-values.ts'
import { messageOf } from '../../../base/message-of.ts'
import type { Random } from '../../../base/random.ts'
import { ContainerLog, type LogLimits } from '../container-log.ts'
import type { ContainerResources, ContainerSpec, PodRef, SandboxSpec } from '../container-spec.ts'
import type { PodNetwork } from '../pod-network.ts'
import { type ContainerStatus, type Runtime, RuntimeError, type RuntimeEvent, type SandboxStatus } from '../runtime.ts'
import { createAddressPool } from './address-pool.ts'
import { type Behaviour, defaultScript, type Script, type SimulatedContainer } from './behaviour.ts'
import type { ContainerPrograms, OpenedContainer, PlayedContainer, RunCommand, SimulatedExit } from './play.ts'
import { runToEnd } from './run-command.ts'
import { ScriptedPlay } from './scripted-play.ts'
import { SimulatedImages, withTag } from './simulated-images.ts'
import { SimulatedProcess } from './simulated-process.ts'

export interface SimulatedRuntimeDeps {
  readonly clock: Clock
  readonly random: Random
  readonly script?: Script
  /** Hands out pod addresses: `10.244.3` gives 10.244.3.2 and on. */
  readonly podSubnet: string
  /** Programs in place of the script, and commands for exec. Default: none. */
  readonly programs?: ContainerPrograms
  /** Default: the kubelet's. */
  readonly logLimits?: LogLimits
}

interface Sandbox {
  readonly spec: SandboxSpec
  status: SandboxStatus
}

interface Container {
  readonly spec: ContainerSpec
  readonly log: ContainerLog
  status: ContainerStatus & Required<Pick<ContainerStatus, 'user'>>
  behaviour: Behaviour
  process: SimulatedProcess | undefined
  /** Once a program runs in it. */
  played?: PlayedContainer
  opening?: Promise<PlayedContainer>
  /** Since somebody wanted a connection: what answers its ports. */
  standIn?: Promise<void>
}

/** A sandbox or container that ran before this process began: what its status in the API says of it. */
export interface Remembered {
  readonly sandbox: { readonly spec: SandboxSpec; readonly ip: string }
  readonly containers: readonly { readonly spec: ContainerSpec; readonly id: string; readonly startedAtMs: number }[]
}

export interface SimulatedRuntime extends Runtime {
  /** Takes up a pod that ran in another life of this process. A pod that is known already is left alone. */
  remember(pod: Remembered): void
  /** Ends a container that runs, as if it had ended by itself with this code. */
  end(id: string, exitCode: number): void
  /** Whether the probes of a container at this address succeed by now; on its node's network an address is that of the container for which it is asked. */
  readyAt(ip: string, containerId?: string): boolean
  /** How probes and hooks reach an address behind which programs run; undefined: the script answers for it. */
  networkAt(ip: string, port: number): PodNetwork | undefined
  /** Somebody connects to this address: what answers there, although no program runs, is begun. False: there is no such container. */
  wake(ip: string): Promise<boolean>
  /** Whether a pod has this address now. */
  hasAddress(ip: string): boolean
}

/** Containers of one template differ in their names and little else: what they say alike is held once for all nodes. */
const COMMON = new CommonValues()

const plainSandbox = (spec: SandboxSpec): SandboxSpec => ({
  ...spec,
  dns: COMMON.of(spec.dns),
  labels: COMMON.of(spec.labels),
  annotations: COMMON.of(spec.annotations),
})

/** `pod`: as its sandbox names it. */
const plainContainer = (spec: ContainerSpec, pod: PodRef): ContainerSpec => ({
  ...spec,
  pod,
  image: COMMON.of(spec.image),
  imageId: COMMON.of(spec.imageId),
  command: COMMON.of(spec.command),
  args: COMMON.of(spec.args),
  environment: COMMON.of(spec.environment),
  mounts: COMMON.of(spec.mounts),
  devices: COMMON.of(spec.devices),
  cdiDevices: COMMON.of(spec.cdiDevices),
  annotations: COMMON.of(spec.annotations),
  resources: COMMON.of(spec.resources),
  user: COMMON.of(spec.user),
})

/** A runtime that runs nothing: containers are states in memory, and do what the script says. */
export function createSimulatedRuntime(deps: SimulatedRuntimeDeps): SimulatedRuntime {
  const { clock, random, programs, script = defaultScript } = deps
  const images = new SimulatedImages(script, clock)
  const addresses = createAddressPool(deps.podSubnet)
  const sandboxes = new Map<string, Sandbox>()
  const containers = new Map<string, Container>()
  /** Newest first. */
  const pods = new Map<string, { sandboxes: Sandbox[]; containers: Container[] }>()
  const byIp = new Map<string, Sandbox>()
  const listeners = new Set<(event: RuntimeEvent) => void>()

  const tell = (event: RuntimeEvent) => {
    for (const listener of listeners) listener(event)
  }
  const podOf = (uid: string) => {
    const known = pods.get(uid) ?? { sandboxes: [], containers: [] }
    pods.set(uid, known)
    return known
  }
  const isReady = ({ status, behaviour }: Container) => (status.startedAtMs ?? 0) + (behaviour.readyMs ?? 0) <= clock.now()
  const forgetIfEmpty = (uid: string) => {
    const pod = pods.get(uid)
    if (pod?.sandboxes.length !== 0 || pod.containers.length !== 0) return
    pods.delete(uid)
    programs?.podGone(uid)
  }

  const runtime: SimulatedRuntime = {
    name: 'simulated',
    version: '0.1.0',
    status: async () => ({ ready: true, networkReady: true }),

    async runSandbox(spec) {
      const id = random.uuid()
      const ip = spec.hostNetwork ? undefined : addresses.take()
      addSandbox(id, spec, ip, clock.now())
      tell({ kind: 'sandbox', podUid: spec.pod.uid })
      return id
    },
    async stopSandbox(id) {
      const it = sandboxes.get(id)
      if (it === undefined || it.status.state === 'not-ready') return
      for (const c of podOf(it.spec.pod.uid).containers) if (c.status.sandboxId === id) c.process?.kill(137)
      for (const ip of it.status.ips) {
        addresses.give(ip)
        byIp.delete(ip)
      }
      programs?.networkGone(it.status.ips)
      it.status = { ...it.status, state: 'not-ready' }
      tell({ kind: 'sandbox', podUid: it.spec.pod.uid })
    },
    async removeSandbox(id, signal) {
      const it = sandboxes.get(id)
      if (it === undefined) return
      await runtime.stopSandbox(id, signal)
      const { uid } = it.spec.pod
      const pod = podOf(uid)
      for (const c of [...pod.containers]) if (c.status.sandboxId === id) await runtime.removeContainer(c.status.id, signal)
      pod.sandboxes = pod.sandboxes.filter((s) => s !== it)
      sandboxes.delete(id)
      forgetIfEmpty(uid)
    },
    sandboxes: ({ podUid }) => select(podUid, (p) => p.sandboxes).map((s) => s.status),

    imageStatus: async (name) => images.find(name),
    pullImage: (name, signal) => images.pull(name, signal),
    images: async () => images.all(),
    removeImage: async (name) => images.remove(name),

    async createContainer(sandboxId, spec) {
      const sandbox = sandboxes.get(sandboxId)
      if (sandbox?.status.state !== 'ready') throw new RuntimeError('not-found', `sandbox ${sandboxId} is not ready`)
      const same = podOf(spec.pod.uid).containers.find((c) => c.spec.name === spec.name && c.spec.attempt === spec.attempt)
      if (same !== undefined) throw new RuntimeError('already-exists', `container ${spec.name} attempt ${spec.attempt} exists`)
      const id = `simulated://${random.uuid()}`
      addContainer(id, sandboxId, spec)
      tell({ kind: 'created', podUid: spec.pod.uid, containerId: id })
      return id
    },
    async startContainer(id) {
      const it = get(id)
      if (it.status.state !== 'created') throw new RuntimeError('runtime', `container ${id} has been started before`)
      it.behaviour = COMMON.of(script.container(simulated(it)))
      if (programs !== undefined && isOpened(it, programs)) {
        await openPartner(it, programs)
        it.played = await programs.open(opened(it))
        if (containers.get(id) !== it) it.played.close()
        if (containers.get(id) !== it || it.status.state !== 'created') throw new RuntimeError('runtime', `container ${id} has gone`)
      }
      const startedAtMs = clock.now()
      it.status = { ...it.status, state: 'running', startedAtMs }
      if (it.played?.main === undefined) for (const line of it.behaviour.logs ?? []) it.log.append(line, startedAtMs)
      tell({ kind: 'started', podUid: it.spec.pod.uid, containerId: id })
      begin(it)
    },
    async stopContainer(id, graceMs, signal) {
      await containers.get(id)?.process?.stop(graceMs, signal)
    },
    async removeContainer(id) {
      const it = containers.get(id)
      if (it === undefined) return
      it.process?.kill(137)
      it.log.end()
      containers.delete(id)
      const { uid } = it.spec.pod
      const pod = podOf(uid)
      pod.containers = pod.containers.filter((c) => c !== it)
      forgetIfEmpty(uid)
      tell({ kind: 'removed', podUid: uid, containerId: id })
    },
    containers: ({ podUid }) => select(podUid, (p) => p.containers).map((c) => c.status),
    async updateResources(id, resources: ContainerResources) {
      const it = get(id)
      it.status = { ...it.status, resources: { ...it.status.resources, ...resources } }
    },

    async execSync(id, command, timeoutMs, signal) {
      const it = runningOne(id)
      // Where nobody knows what is in the container, its probes succeed whatever they run; one that runs nothing but `sleep` is known.
      const told = it.behaviour.readyMs !== undefined || script.exec?.(simulated(it), command) !== undefined
      const plain = !told && programs?.plays(simulated(it), true) === true
      const known = it.played?.main !== undefined || plain ? await commandOf(it, command, true) : undefined
      if (known !== undefined) return runToEnd(known, { command, timeoutMs, clock }, signal)
      if (!isReady(it)) return { exitCode: 1, stdout: '', stderr: 'not ready yet\n' }
      const said = script.exec?.(simulated(it), command)
      if (said === undefined && it.played?.main !== undefined) throw notFound(command)
      const { takesMs = 0, ...result } = said ?? {}
      const limited = timeoutMs > 0 && takesMs > timeoutMs
      if (takesMs > 0) await clock.sleep(limited ? timeoutMs : takesMs, signal)
      if (limited) throw new RuntimeError('deadline', `command ${JSON.stringify(command.join(' '))} timed out`)
      return { exitCode: 0, stdout: '', stderr: '', ...result }
    },
    async exec(id, command, streams, signal) {
      const it = runningOne(id)
      const run = await commandOf(it, command, false)
      if (run !== undefined) return run(streams, signal)
      const known = script.exec?.(simulated(it), command)
      if (known === undefined && it.played?.main !== undefined) throw notFound(command)
      if (known?.takesMs) await clock.sleep(known.takesMs, signal)
      const unknown = `${command[0] ?? ''}: a simulated container does not know this command\n`
      const { exitCode = 0, stdout = '', stderr = '' } = known ?? { exitCode: 127, stderr: unknown }
      if (stdout !== '') await streams.stdout?.write(Buffer.from(stdout))
      if (stderr !== '') await (streams.stderr ?? streams.stdout)?.write(Buffer.from(stderr))
      return { exitCode }
    },
    async attach(id, streams, signal) {
      const it = runningOne(id)
      if (it.played?.main !== undefined) return it.played.attach(streams, signal)
      for await (const text of it.log.read({ tailLines: 0, follow: true }, signal)) await streams.stdout?.write(Buffer.from(text))
    },
    async portForward(sandboxId, port, connection) {
      const sandbox = sandboxes.get(sandboxId)
      if (sandbox?.status.state !== 'ready') throw new RuntimeError('not-found', `sandbox ${sandboxId} is not ready`)
      for (const ip of sandbox.status.ips) await runtime.wake(ip)
      const joined = programs?.forward(sandbox.status.ips, port, connection)
      if (joined !== undefined) return joined
      await connection.sink.end()
      throw new RuntimeError('runtime', `nothing listens on port ${port} in a simulated container`)
    },

    outOfMemory: (id) => containers.get(id)?.process?.kill(137, 'OOMKilled'),
    podFiles: (uid) => programs?.podFiles(uid),
    podChanged: (uid) => programs?.podChanged(uid),
    async stats({ podUid }) {
      const atMs = clock.now()
      const running = select(podUid, (p) => p.containers).filter((c) => c.status.state === 'running')
      return running.map(({ status: { id: containerId, name, pod } }) => ({
        containerId,
        name,
        pod,
        atMs,
        cpuNanoseconds: 0,
        memoryBytes: 0,
      }))
    },
    async logs(id, options, signal) {
      return containers.get(id)?.log.read(options, signal)
    },
    async events(listener, signal) {
      if (signal.aborted) return
      listeners.add(listener)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      listeners.delete(listener)
    },

    remember({ sandbox, containers: remembered }) {
      const { uid } = sandbox.spec.pod
      if (pods.has(uid)) return
      const sandboxId = random.uuid()
      if (sandbox.ip !== '') addresses.claim(sandbox.ip)
      addSandbox(sandboxId, sandbox.spec, sandbox.ip === '' ? undefined : sandbox.ip, clock.now())
      for (const { spec, id, startedAtMs } of remembered) {
        images.remember(spec.image)
        const it = addContainer(id, sandboxId, spec)
        it.behaviour = COMMON.of(script.container(simulated(it)))
        it.status = { ...it.status, state: 'running', startedAtMs }
        if (programs !== undefined && isOpened(it, programs)) resume(it, programs)
        else begin(it)
      }
    },
    end: (id, exitCode) => containers.get(id)?.process?.kill(exitCode),
    readyAt(ip, containerId) {
      const asking = containers.get(containerId ?? '')?.spec.pod.uid
      const host = asking === undefined ? undefined : podOf(asking).sandboxes.findLast(({ spec }) => spec.hostNetwork)
      const sandbox = byIp.get(ip) ?? host
      if (sandbox === undefined) return false
      const live = podOf(sandbox.spec.pod.uid).containers.filter((c) => c.status.state === 'running')
      return live.every(isReady)
    },
    networkAt(ip, port) {
      const sandbox = byIp.get(ip)
      const running = sandbox === undefined ? [] : podOf(sandbox.spec.pod.uid).containers.filter((c) => c.status.state === 'running')
      // A script answers on any port for the containers that it plays.
      if (running.some((c) => c.standIn !== undefined)) return undefined
      const all = running.length > 0 && running.every((c) => c.played?.main !== undefined)
      return programs?.networkAt(ip, port, all)
    },
    async wake(ip) {
      const sandbox = byIp.get(ip)
      if (sandbox === undefined || programs === undefined) return false
      const live = podOf(sandbox.spec.pod.uid).containers.filter((c) => c.status.state === 'running' && c.played?.main === undefined)
      const standIns = live.filter((c) => c.standIn !== undefined || (isReady(c) && programs.standsIn(simulated(c))))
      for (const it of standIns) {
        it.standIn ??= openedOne(it, programs).then((played) => played.standIn())
        await it.standIn
      }
      return standIns.length > 0
    },
    hasAddress: (ip) => byIp.has(ip),
  }
  return runtime

  function select<T>(podUid: string | undefined, of: (pod: { sandboxes: Sandbox[]; containers: Container[] }) => T[]): T[] {
    if (podUid === undefined) return [...pods.values()].flatMap(of)
    const pod = pods.get(podUid)
    return pod === undefined ? [] : of(pod)
  }

  function get(id: string): Container {
    const it = containers.get(id)
    if (it === undefined) throw new RuntimeError('not-found', `container ${id} does not exist`)
    return it
  }

  function runningOne(id: string): Container {
    const it = get(id)
    if (it.status.state !== 'running') throw new RuntimeError('runtime', `container ${id} is not running`)
    return it
  }

  function simulated(it: Container): SimulatedContainer {
    const sandbox = sandboxes.get(it.status.sandboxId)
    if (sandbox === undefined) throw new Error('invariant: a container lives in a sandbox')
    return { spec: it.spec, sandbox: sandbox.spec }
  }

  function opened(it: Container): OpenedContainer {
    const { ips = [] } = sandboxes.get(it.status.sandboxId)?.status ?? {}
    const { uid, gid, supplementalGroups } = it.status.user
    return {
      ...simulated(it),
      id: it.status.id,
      log: it.log,
      ips,
      user: { uid, gid, groups: supplementalGroups },
      resources: () => it.status.resources,
      end: (exitCode: number) => it.process?.kill(exitCode),
      behaviour: it.behaviour,
    }
  }

  /** The program that this command names in the container. */
  async function commandOf(it: Container, command: readonly string[], unattended: boolean): Promise<RunCommand | undefined> {
    if (it.played === undefined) {
      if (programs?.knows(command) !== true && programs?.standsIn(simulated(it)) !== true) return undefined
      await openedOne(it, programs)
    }
    return it.played?.command(command, { unattended })
  }

  async function openedOne(it: Container, by: ContainerPrograms): Promise<PlayedContainer> {
    if (it.played !== undefined) return it.played
    it.opening ??= by.open(opened(it))
    it.played = await it.opening
    if (it.status.state !== 'running') it.played.close()
    return it.played
  }

  /** Whether it needs a world from its beginning: for its program, or because others see what runs in it. */
  function isOpened(it: Container, by: ContainerPrograms): boolean {
    return it.spec.processes !== undefined || by.plays(simulated(it), it.behaviour.byCommand === true)
  }

  /** The container whose processes this one is to see shows them, also where a script plays it. */
  async function openPartner(it: Container, by: ContainerPrograms): Promise<void> {
    const { pod, processes } = it.spec
    if (processes === undefined || processes === 'pod') return
    const partner = podOf(pod.uid).containers.find((c) => c.spec.name === processes.of && c.status.state === 'running')
    if (partner !== undefined) await openedOne(partner, by)
  }

  /** A program of which this process remembers nothing begins again. */
  function resume(it: Container, by: ContainerPrograms): void {
    by.open(opened(it)).then(
      (played) => {
        if (containers.get(it.status.id) !== it || it.status.state !== 'running') return played.close()
        it.played = played
        begin(it)
      },
      (error: unknown) => {
        const message = messageOf(error)
        ended(it, { exitCode: 128, reason: 'StartError', message })
      },
    )
  }

  function addSandbox(id: string, spec: SandboxSpec, ip: string | undefined, createdAtMs: number): void {
    const ips = ip === undefined ? [] : [ip]
    const sandbox: Sandbox = {
      spec: plainSandbox(spec),
      status: { id, pod: spec.pod, attempt: spec.attempt, state: 'ready', createdAtMs, ips },
    }
    sandboxes.set(id, sandbox)
    const of = podOf(spec.pod.uid)
    of.sandboxes = [sandbox, ...of.sandboxes]
    if (ip !== undefined) byIp.set(ip, sandbox)
  }

  /** Of an image that was pulled before this process began, what its registry says. */
  function userOf(image: string): number {
    const known = images.find(image)
    if (known !== undefined) return known.uid ?? 0
    const found = script.image(image)
    return found.kind === 'found' ? (found.uid ?? 0) : 0
  }

  function addContainer(id: string, sandboxId: string, given: ContainerSpec): Container {
    const spec = plainContainer(given, sandboxes.get(sandboxId)?.spec.pod ?? given.pod)
    const { pod, name, attempt, image, imageId, annotations, resources, user } = spec
    const { uid = userOf(image), gid = 0 } = user
    const status: Container['status'] = {
      id,
      sandboxId,
      pod,
      name,
      attempt,
      state: 'created',
      createdAtMs: clock.now(),
      image: COMMON.of({ name: withTag(image), id: imageId }),
      annotations,
      resources,
      user: COMMON.of({ uid, gid, supplementalGroups: [...new Set([gid, ...user.supplementalGroups])] }),
    }
    const it: Container = { spec, log: new ContainerLog(deps.logLimits), status, behaviour: NOTHING_SAID, process: undefined }
    containers.set(id, it)
    const of = podOf(pod.uid)
    of.containers = [it, ...of.containers]
    return it
  }

  function begin(it: Container): void {
    const play = it.played?.main ?? new ScriptedPlay(it.behaviour, clock)
    it.process = new SimulatedProcess(play, clock, (exit) => ended(it, exit))
    it.process.run()
  }

  function ended(it: Container, exit: SimulatedExit): void {
    it.process = undefined
    it.played?.close()
    it.status = { ...it.status, state: 'exited', finishedAtMs: clock.now(), ...exit }
    it.log.end()
    tell({ kind: 'died', podUid: it.spec.pod.uid, containerId: it.status.id })
  }
}

/** As runc says it. */
function notFound([name = '']: readonly string[]): RuntimeError {
  const why = `exec: ${JSON.stringify(name)}: executable file not found in $PATH`
  return new RuntimeError('runtime', `OCI runtime exec failed: exec failed: unable to start container process: ${why}: unknown`)
}

const NOTHING_SAID: Behaviour = {}

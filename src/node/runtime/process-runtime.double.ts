import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import type { Clock } from '../../base/clock.ts'
import { hasCode } from '../../base/has-code.ts'
import { onAbort, untilAborted } from '../../base/on-abort.ts'
import { quiet } from '../../base/quiet.ts'
import type { Random } from '../../base/random.ts'
import type { ProcessStreams } from '../../machinery/streams.ts'
import { ContainerLog } from './container-log.ts'
import type { ContainerSpec } from './container-spec.ts'
import type { ContainerStatus, ExecResult, Image, PodFilter, Runtime, RuntimeEvent, SandboxStatus } from './runtime.ts'
import { RuntimeError } from './runtime-error.ts'

interface ProcessContainer {
  readonly spec: ContainerSpec
  readonly log: ContainerLog
  status: ContainerStatus
  process?: ChildProcess
  /** When a stop will send SIGKILL, in milliseconds since the Unix epoch. */
  killAtMs: number
}

/**
 * A second implementation of `Runtime`, for tests: containers are processes of this machine in process groups of their own, any image
 * exists except `missing…`, sandboxes share the machine's network. Nothing is isolated.
 */
export function createProcessRuntime({ clock, random }: { readonly clock: Clock; readonly random: Random }): Runtime & AsyncDisposable {
  const images = new Map<string, Image>()
  const sandboxes: SandboxStatus[] = []
  const containers: ProcessContainer[] = []
  const listeners = new Set<(event: RuntimeEvent) => void>()

  const notify = (kind: RuntimeEvent['kind'], podUid: string, containerId?: string) => {
    for (const listener of listeners) listener({ kind, podUid, ...(containerId !== undefined && { containerId }) })
  }
  const find = (id: string) => containers.find((c) => c.status.id === id)
  const get = (id: string) => {
    const it = find(id)
    if (it === undefined) throw new RuntimeError('not-found', `container ${id} does not exist`)
    return it
  }
  const signalGroup = (it: ProcessContainer, name: 'SIGTERM' | 'SIGKILL') => {
    const pid = it.process?.pid
    if (pid === undefined || it.status.state !== 'running') return
    try {
      process.kill(-pid, name)
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error
    }
  }
  const change = (it: ProcessContainer, more: Partial<ContainerStatus>) => {
    it.status = { ...it.status, ...more }
  }
  const begin = (command: readonly string[], { spec }: ProcessContainer, stdin: 'ignore' | 'pipe') => {
    const [file = '', ...args] = command
    const env = { PATH: process.env.PATH ?? '', ...Object.fromEntries(spec.environment.map((e) => [e.name, e.value])) }
    return spawn(file, args, { env, detached: true, stdio: [stdin, 'pipe', 'pipe'] })
  }
  const run = async (command: readonly string[], it: ProcessContainer, streams: ProcessStreams, signal: AbortSignal): Promise<number> => {
    const child = begin(command, it, streams.stdin ? 'pipe' : 'ignore')
    using _ = onAbort(signal, () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'))
    const pump = async (from: NodeJS.ReadableStream | null, to: ProcessStreams['stdout']) => {
      if (from !== null) for await (const chunk of from) await to?.write(Buffer.from(chunk))
    }
    const feed = async () => {
      for await (const chunk of streams.stdin ?? []) child.stdin?.write(chunk)
      child.stdin?.end()
    }
    void feed().catch(() => child.stdin?.destroy())
    const ended = once(child, 'exit')
    await Promise.all([pump(child.stdout, streams.stdout), pump(child.stderr, streams.stderr)])
    const [code] = await ended
    return typeof code === 'number' ? code : 137
  }

  const runtime: Runtime & AsyncDisposable = {
    name: 'process',
    version: '0.0.0',
    status: async () => ({ ready: true, networkReady: true }),
    async runSandbox({ pod, attempt }) {
      const id = random.uuid()
      sandboxes.unshift({ id, pod, attempt, state: 'ready', createdAtMs: clock.now(), ips: ['127.0.0.1'] })
      notify('sandbox', pod.uid)
      return id
    },
    async stopSandbox(id) {
      const at = sandboxes.findIndex((s) => s.id === id)
      const it = sandboxes[at]
      if (it === undefined || it.state === 'not-ready') return
      sandboxes[at] = { ...it, state: 'not-ready' }
      for (const c of containers) if (c.status.sandboxId === id) signalGroup(c, 'SIGKILL')
      notify('sandbox', it.pod.uid)
    },
    async removeSandbox(id, signal) {
      await runtime.stopSandbox(id, signal)
      for (const c of [...containers]) if (c.status.sandboxId === id) await runtime.removeContainer(c.status.id, signal)
      const at = sandboxes.findIndex((s) => s.id === id)
      if (at >= 0) sandboxes.splice(at, 1)
    },
    sandboxes: async (filter) => sandboxes.filter((s) => chosen(filter, s.pod.uid)),
    imageStatus: async (name) => images.get(name),
    async pullImage({ image: name }) {
      if (name.startsWith('missing')) throw new RuntimeError('image-not-found', `manifest for ${name} not found`)
      const image = { name, id: `process:${name}`, sizeBytes: 0 }
      images.set(name, image)
      return image
    },
    images: async () => [...images.values()],
    async removeImage(name) {
      images.delete(name)
    },
    async createContainer(sandboxId, spec) {
      if (sandboxes.find((s) => s.id === sandboxId)?.state !== 'ready')
        throw new RuntimeError('not-found', `sandbox ${sandboxId} is not ready`)
      const { pod, name, attempt, annotations, resources, image, imageId } = spec
      if (containers.some((c) => c.spec.pod.uid === pod.uid && c.spec.name === name && c.spec.attempt === attempt))
        throw new RuntimeError('already-exists', `container ${name} attempt ${attempt} exists`)
      const id = `process://${random.uuid()}`
      const identity = { id, sandboxId, pod, name, attempt, annotations, resources, image: { name: image, id: imageId } }
      const status: ContainerStatus = { ...identity, state: 'created', createdAtMs: clock.now() }
      containers.unshift({ spec, log: new ContainerLog(), status, killAtMs: Number.POSITIVE_INFINITY })
      notify('created', pod.uid, id)
      return id
    },
    async startContainer(id) {
      const it = get(id)
      const child = begin([...it.spec.command, ...it.spec.args], it, 'ignore')
      it.process = child
      const lines = async (stream: NodeJS.ReadableStream | null) => {
        let rest = ''
        for await (const chunk of stream ?? []) {
          const parts = (rest + String(chunk)).split('\n')
          rest = parts.pop() ?? ''
          for (const line of parts) it.log.append(line, clock.now())
        }
        if (rest !== '') it.log.append(rest, clock.now())
      }
      const printed = Promise.all([lines(child.stdout), lines(child.stderr)])
      const over = once(child, 'exit')
      try {
        await once(child, 'spawn')
      } catch (error) {
        void quiet(over, 'the same failure')
        throw new RuntimeError('runtime', String(error), { cause: error })
      }
      change(it, { state: 'running', startedAtMs: clock.now() })
      notify('started', it.spec.pod.uid, id)
      void Promise.all([over, printed]).then(([[code, killedBy]]) => {
        const exitCode = typeof code === 'number' ? code : killedBy === 'SIGKILL' ? 137 : 143
        change(it, { state: 'exited', finishedAtMs: clock.now(), exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' })
        it.log.end()
        notify('died', it.spec.pod.uid, id)
      })
    },
    async stopContainer(id, graceMs, signal) {
      const it = find(id)
      if (it?.status.state !== 'running') return
      signalGroup(it, 'SIGTERM')
      const atMs = clock.now() + graceMs
      if (atMs < it.killAtMs) {
        it.killAtMs = atMs
        clock.after(graceMs, () => it.killAtMs === atMs && signalGroup(it, 'SIGKILL'))
      }
      while (it.status.state === 'running') await clock.sleep(5, signal)
    },
    async removeContainer(id) {
      const it = find(id)
      if (it === undefined) return
      signalGroup(it, 'SIGKILL')
      it.log.end()
      containers.splice(containers.indexOf(it), 1)
      notify('removed', it.spec.pod.uid, id)
    },
    containers: async (filter) => containers.filter((c) => chosen(filter, c.spec.pod.uid)).map((c) => c.status),
    async updateResources(id, resources) {
      const it = get(id)
      change(it, { resources: { ...it.status.resources, ...resources } })
    },
    async execSync(id, command, timeoutMs, signal): Promise<ExecResult> {
      const out: Uint8Array[] = []
      const err: Uint8Array[] = []
      const into = (chunks: Uint8Array[]) => ({ write: async (c: Uint8Array) => void chunks.push(c), end: async () => {} })
      const limit = new AbortController()
      const cancel = timeoutMs > 0 ? clock.after(timeoutMs, () => limit.abort()) : () => {}
      const it = get(id)
      const exitCode = await run(command, it, { stdout: into(out), stderr: into(err), tty: false }, AbortSignal.any([signal, limit.signal]))
      cancel()
      if (limit.signal.aborted) throw new RuntimeError('deadline', `${command.join(' ')} took longer than ${timeoutMs} ms`)
      return { exitCode, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }
    },
    exec: async (id, command, streams, signal) => ({ exitCode: await run(command, get(id), streams, signal) }),
    async attach(id, streams, signal) {
      for await (const text of get(id).log.read({ tailLines: 0, follow: true }, signal)) await streams.stdout?.write(Buffer.from(text))
    },
    async portForward(sandboxId, port, { source, sink }, signal) {
      if (sandboxes.find((s) => s.id === sandboxId)?.state !== 'ready')
        throw new RuntimeError('not-found', `sandbox ${sandboxId} is not ready`)
      const socket = net.connect({ host: '127.0.0.1', port, signal })
      await once(socket, 'connect')
      const up = async () => {
        for await (const chunk of source) if (!socket.write(chunk)) await once(socket, 'drain')
        socket.end()
      }
      const down = async () => {
        for await (const chunk of socket) await sink.write(chunk)
        await sink.end()
      }
      await Promise.all([up(), down()])
    },
    async stats(filter) {
      const live = containers.filter((c) => c.status.state === 'running' && chosen(filter, c.spec.pod.uid))
      const amounts = { atMs: clock.now(), cpuNanoseconds: 0, memoryBytes: 0 }
      return live.map(({ status: { id: containerId, name, pod } }) => ({ containerId, name, pod, ...amounts }))
    },
    logs: async (id, options, signal) => find(id)?.log.read(options, signal),
    async events(listener, signal) {
      listeners.add(listener)
      await untilAborted(signal)
      listeners.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      for (const c of containers) signalGroup(c, 'SIGKILL')
    },
  }
  return runtime
}

const chosen = ({ podUid }: PodFilter, uid: string) => podUid === undefined || podUid === uid

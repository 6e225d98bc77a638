import type { Cancel, Clock } from '../../../base/clock.ts'
import type { Random } from '../../../base/random.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { type Exit, type Image, type LogOptions, type Runtime, RuntimeError, type StartedContainer } from '../runtime.ts'
import { type Behaviour, defaultScript, type Script } from './behaviour.ts'

export interface SimulatedRuntimeDeps {
  readonly clock: Clock
  readonly random: Random
  readonly script?: Script
  /** Hands out pod addresses: `10.244.<node>.x`. */
  readonly podSubnet: string
}

interface Running {
  readonly startedAtMs: number
  readonly cancel: Cancel
  readonly end: (exit: Exit) => void
  readonly exit: Promise<Exit>
}

interface Printed {
  readonly id: string
  readonly lines: readonly { readonly atMs: number; readonly text: string }[]
}

/** A runtime that runs nothing: containers are states in memory, and do what the script says. */
export function createSimulatedRuntime(deps: SimulatedRuntimeDeps): Runtime {
  const { clock, random, script = defaultScript } = deps
  const images = new Map<string, Image>()
  const running = new Map<string, Running>()
  const printed = new Map<string, Printed[]>()
  const addresses = addressPool(deps.podSubnet)
  const sandboxes = new Map<string, { readonly ip: string; readonly podUid: string }>()

  return {
    name: 'simulated',
    version: '0.1.0',
    findImage: (name) => images.get(withTag(name)),
    async pullImage(name) {
      const found = script.image(name)
      if (found.kind === 'missing') throw new RuntimeError('image-not-found', `manifest for ${name} not found`)
      const image = { name: withTag(name), id: withTag(name), sizeBytes: found.sizeBytes }
      images.set(image.name, image)
      return image
    },
    async createSandbox(pod) {
      const id = random.uuid()
      const ip = addresses.take()
      sandboxes.set(id, { ip, podUid: pod.metadata.uid ?? '' })
      return { id, ip }
    },
    async startContainer({ pod, container, attempt }) {
      const id = `simulated://${random.uuid()}`
      const startedAtMs = clock.now()
      const behaviour = script.container(pod, container, attempt)
      print(printed, pod, container.name, { id, lines: (behaviour.logs ?? []).map((text) => ({ atMs: startedAtMs, text })) })
      return start(id, startedAtMs, behaviour)
    },
    async stopContainer(id) {
      const it = running.get(id)
      it?.cancel()
      it?.end({ exitCode: 137, startedAtMs: it.startedAtMs, finishedAtMs: clock.now() })
    },
    async stopSandbox(id) {
      const it = sandboxes.get(id)
      if (it !== undefined) addresses.give(it.ip)
    },
    async removeSandbox(id) {
      const it = sandboxes.get(id)
      if (it === undefined) return
      sandboxes.delete(id)
      for (const key of printed.keys()) if (key.startsWith(`${it.podUid}/`)) printed.delete(key)
    },
    logs(podUid, container, options, signal) {
      const output = printed.get(`${podUid}/${container}`)?.[options.previous ? 1 : 0]
      if (output === undefined) return undefined
      return read(output, options, options.follow === true ? running.get(output.id)?.exit : undefined, signal)
    },
  }

  function start(id: string, startedAtMs: number, behaviour: Behaviour): StartedContainer {
    const exitCode = behaviour.exitCode ?? 0
    const name = behaviour.namesEnd === false ? {} : { reason: exitCode === 0 ? 'Completed' : 'Error' }
    const exitAt = (finishedAtMs: number): Exit => ({ exitCode, ...name, startedAtMs, finishedAtMs })
    if (behaviour.runMs === 0) return { id, startedAtMs, exit: exitAt(startedAtMs) }
    const { promise: exit, resolve } = Promise.withResolvers<Exit>()
    const end = (how: Exit) => {
      running.delete(id)
      resolve(how)
    }
    const cancel = behaviour.runMs === undefined ? () => {} : clock.after(behaviour.runMs, () => end(exitAt(clock.now())))
    running.set(id, { startedAtMs, cancel, end, exit })
    return { id, startedAtMs, exit }
  }
}

/** Names without a tag mean `latest`. */
function withTag(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1)
  return name.includes(':') || name.includes('@') ? image : `${image}:latest`
}

/** Keeps the output of the present attempt of a container, and of the one before. */
function print(printed: Map<string, Printed[]>, pod: KubeObject, container: string, output: Printed): void {
  const key = `${pod.metadata.uid}/${container}`
  printed.set(key, [output, ...(printed.get(key) ?? [])].slice(0, 2))
}

async function* read(output: Printed, options: LogOptions, exit: Promise<Exit> | undefined, signal: AbortSignal): AsyncGenerator<string> {
  const { tailLines, sinceMs = 0, timestamps } = options
  const since = output.lines.filter((l) => l.atMs >= sinceMs)
  const lines = tailLines === undefined ? since : since.slice(Math.max(0, since.length - tailLines))
  for (const l of lines) yield `${timestamps ? `${new Date(l.atMs).toISOString().replace('Z', '000000Z')} ` : ''}${l.text}\n`
  if (exit === undefined || signal.aborted) return
  await Promise.race([exit, new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))])
}

/** Addresses of one /24 (`10.244.3`), given out in turn. */
function addressPool(prefix: string): { take(): string; give(ip: string): void } {
  const used = new Set<string>()
  let last = 1
  return {
    take() {
      for (let tries = 0; tries < 253; tries++) {
        last = last >= 254 ? 2 : last + 1
        const ip = `${prefix}.${last}`
        if (used.has(ip)) continue
        used.add(ip)
        return ip
      }
      throw new RuntimeError('runtime', `no address is left in ${prefix}.0/24`)
    },
    give: (ip) => used.delete(ip),
  }
}

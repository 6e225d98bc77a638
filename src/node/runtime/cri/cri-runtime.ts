import { existsSync } from 'node:fs'
import type { Clock } from '../../../base/clock.ts'
import { pause } from '../../../base/pause.ts'
import { connectUnix } from '../../../sdk/grpc/connect-unix.ts'
import type { ContainerResources, ContainerSpec, SandboxSpec } from '../container-spec.ts'
import type { LogOptions, Runtime, RuntimeHandler, RuntimeStatus } from '../runtime.ts'
import { ignoringCode, isCode } from '../runtime-error.ts'
import * as containers from './api/container.ts'
import { ImageSpec } from './api/image.ts'
import { RUNTIME_SERVICE as CRI, IMAGE_SERVICE as IMAGES } from './api/services.ts'
import type { HandlerMessage } from './api/status.ts'
import { ContainerEvents } from './container-events.ts'
import { joinPort, joinProcess } from './container-streams.ts'
import { ContainerView } from './container-view.ts'
import { type CriClient, criClient, REQUEST_TIMEOUT_MS } from './cri-client.ts'
import { containerStats, sandboxStats } from './cri-stats.ts'
import { imageOf } from './from-cri.ts'
import { readLog } from './read-log.ts'
import { containerConfig, pullRequest, resourcesOf, sandboxConfig } from './to-cri.ts'

export interface CriRuntimeOptions {
  readonly socketPath: string
  readonly clock: Clock
}

/** A runtime behind a socket; disposing ends its calls, and nothing that it runs. */
export interface CriRuntime extends Runtime, AsyncDisposable {
  /** Addresses for pods, for runtimes that make their network's configuration themselves. */
  setPodCidr(cidr: string, signal: AbortSignal): Promise<void>
}

/** Lists of a node with many pods are longer than gRPC's own limit (the kubelet's is the same). */
const MOST_MESSAGE_BYTES = 16 * 1024 * 1024
const SANDBOX_TIMEOUT_MS = 4 * 60_000
/** Commands and pulls take as long as they take. */
const UNLIMITED_MS = 24 * 60 * 60_000

/**
 * Runs containers through the Container Runtime Interface (v1): containerd, CRI-O, and others. The network of pods, their images and
 * their processes are the runtime's; so is what survives this process. @throws {RuntimeError} when there is no socket, or it does not
 * respond for half a minute
 */
export async function openCriRuntime({ socketPath, clock }: CriRuntimeOptions, signal: AbortSignal): Promise<CriRuntime> {
  const connection = await connectUnix(socketPath, { clock, mostBytes: MOST_MESSAGE_BYTES })
  const closed = new AbortController()
  const call = criClient(connection, socketPath, closed.signal)
  try {
    const { name, runtimeVersion } = await firstAnswer(() => call(CRI.version, { version: '' }, { signal }), { socketPath, clock }, signal)
    const view = new ContainerView(call, name)
    const events = new ContainerEvents(view, clock)
    return {
      name,
      version: runtimeVersion,
      ...sandboxVerbs(call, view, events),
      ...imageVerbs(call),
      ...containerVerbs(call, view, events),
      ...streamVerbs(call, view),
      ...logVerbs(call, view, clock),
      status: (until) => runtimeStatus(call, until),
      stats: (filter, until) => containerStats(call, view, filter, until),
      sandboxStats: (until) => sandboxStats(call, until),
      events: (tell, until) => events.run(tell, until),
      async setPodCidr(podCidr, until) {
        await call(CRI.updateRuntimeConfig, { config: { network: { podCidr } } }, { signal: until })
      },
      async [Symbol.asyncDispose]() {
        closed.abort(new Error('the runtime is not used any more'))
        connection[Symbol.dispose]()
      },
    }
  } catch (error) {
    connection[Symbol.dispose]()
    throw error
  }
}

/** How long a runtime may take to start, on a busy machine. */
const STARTING_MS = 30_000
const STARTING_INTERVAL_MS = 200

/** The first answer of a runtime that may be starting: containerd has a socket before it serves, and refuses calls until it is complete. */
async function firstAnswer<T>(ask: () => Promise<T>, { socketPath, clock }: CriRuntimeOptions, signal: AbortSignal): Promise<T> {
  for (const endMs = clock.now() + STARTING_MS; ; await pause(clock, STARTING_INTERVAL_MS, signal)) {
    try {
      return await ask()
    } catch (error) {
      if (!isCode(error, 'unavailable') || !existsSync(socketPath) || clock.now() >= endMs) throw error
    }
  }
}

type SandboxVerbs = Pick<Runtime, 'runSandbox' | 'stopSandbox' | 'removeSandbox' | 'sandboxes' | 'updateSandbox'>

function sandboxVerbs(call: CriClient, view: ContainerView, events: ContainerEvents): SandboxVerbs {
  return {
    async runSandbox(spec: SandboxSpec, signal) {
      const request = { config: sandboxConfig(spec), runtimeHandler: spec.runtimeHandler }
      const { id } = await call(CRI.runPodSandbox, request, { signal, timeoutMs: SANDBOX_TIMEOUT_MS, goesOn: true })
      events.changed()
      return id
    },
    async stopSandbox(id, signal) {
      await call(CRI.stopPodSandbox, { id }, { signal, goesOn: true }).catch(ignoringCode('not-found'))
    },
    async removeSandbox(id, signal) {
      await call(CRI.removePodSandbox, { id }, { signal, goesOn: true }).catch(ignoringCode('not-found'))
    },
    sandboxes: (filter, signal) => view.sandboxes(filter, signal),
    async updateSandbox(id, { resources, overhead }, signal) {
      const request = { id, overhead: resourcesOf(overhead), resources: resourcesOf(resources) }
      await call(CRI.updatePodSandboxResources, request, { signal })
    },
  }
}

type ImageVerbs = Pick<Runtime, 'imageStatus' | 'pullImage' | 'images' | 'removeImage' | 'imageFileSystem'>

function imageVerbs(call: CriClient): ImageVerbs {
  const requestOf = (image: string) => ({ image: ImageSpec.of({ image }) })
  const imageStatus: Runtime['imageStatus'] = async (name, signal) => {
    const { image } = await call(IMAGES.imageStatus, requestOf(name), { signal })
    return image && imageOf(image)
  }
  return {
    imageStatus,
    async pullImage(pull, signal) {
      const { image: name } = pull
      const request = pullRequest(pull)
      const { imageRef } = await call(IMAGES.pullImage, request, { signal, timeoutMs: UNLIMITED_MS, shown: 'details' })
      return (await imageStatus(imageRef, signal)) ?? { name, id: imageRef, sizeBytes: 0 }
    },
    images: async (signal) => (await call(IMAGES.listImages, { image: undefined }, { signal })).images.map(imageOf),
    async removeImage(name, signal) {
      await call(IMAGES.removeImage, requestOf(name), { signal }).catch(ignoringCode('not-found'))
    },
    async imageFileSystem(signal) {
      const [images] = (await call(IMAGES.imageFsInfo, {}, { signal })).images
      if (images?.at === undefined) return undefined
      return { folder: images.at.mountpoint, usedBytes: images.used?.value ?? 0, inodesUsed: images.inodes?.value ?? 0 }
    },
  }
}

type ContainerVerbs = Pick<
  Runtime,
  'createContainer' | 'startContainer' | 'stopContainer' | 'removeContainer' | 'containers' | 'updateResources' | 'checkpoint'
>

function containerVerbs(call: CriClient, view: ContainerView, events: ContainerEvents): ContainerVerbs {
  return {
    async createContainer(sandboxId, spec: ContainerSpec, signal) {
      const { sandbox } = spec.isolation ?? {}
      const request = { sandboxId, config: containerConfig(spec), sandboxConfig: sandbox && sandboxConfig(sandbox) }
      const { id } = await call(CRI.createContainer, request, { signal, goesOn: true, shown: 'details' })
      return view.idOf(id)
    },
    async startContainer(id, signal) {
      await call(CRI.startContainer, { id: view.rawId(id) }, { signal, goesOn: true, shown: 'details' })
      events.changed()
    },
    async stopContainer(id, graceMs, signal) {
      const request = { id: view.rawId(id), timeoutS: Math.ceil(graceMs / 1000) }
      const options = { signal, timeoutMs: REQUEST_TIMEOUT_MS + graceMs, goesOn: true }
      await call(CRI.stopContainer, request, options).catch(ignoringCode('not-found'))
      events.changed()
    },
    async removeContainer(id, signal) {
      await call(CRI.removeContainer, { id: view.rawId(id) }, { signal, goesOn: true }).catch(ignoringCode('not-found'))
    },
    containers: (filter, signal) => view.containers(filter, signal),
    async updateResources(id, resources: ContainerResources, signal) {
      const raw = view.rawId(id)
      await call(CRI.updateContainerResources, { id: raw, linux: resourcesOf(resources) }, { signal })
      view.forget(raw)
    },
    async checkpoint(id, location, timeoutS, signal) {
      await call(CRI.checkpointContainer, { id: view.rawId(id), location, timeoutS }, { signal, timeoutMs: UNLIMITED_MS })
    },
  }
}

type StreamVerbs = Pick<Runtime, 'execSync' | 'exec' | 'attach' | 'portForward'>

function streamVerbs(call: CriClient, view: ContainerView): StreamVerbs {
  return {
    async execSync(id, command, timeoutMs, signal) {
      const request = { id: view.rawId(id), command, timeoutS: Math.ceil(timeoutMs / 1000) }
      const limitMs = timeoutMs === 0 ? UNLIMITED_MS : timeoutMs + REQUEST_TIMEOUT_MS
      const { exitCode, stdout, stderr } = await call(CRI.execSync, request, { signal, timeoutMs: limitMs })
      return { exitCode, stdout: Buffer.from(stdout).toString(), stderr: Buffer.from(stderr).toString() }
    },
    async exec(id, command, streams, signal) {
      const { url } = await call(CRI.exec, { id: view.rawId(id), command, ...requested(streams) }, { signal })
      return { exitCode: await joinProcess({ url }, streams, signal) }
    },
    async attach(id, streams, signal) {
      const { url } = await call(CRI.attach, { id: view.rawId(id), ...requested(streams) }, { signal })
      await joinProcess({ url }, streams, signal)
    },
    async portForward(sandboxId, port, connection, signal) {
      const { url } = await call(CRI.portForward, { sandboxId, ports: [] }, { signal })
      await joinPort({ url }, port, connection, signal)
    },
  }
}

const requested = ({ stdin, stdout, stderr, tty }: { stdin?: unknown; stdout?: unknown; stderr?: unknown; readonly tty: boolean }) => ({
  tty,
  stdin: stdin !== undefined,
  stdout: stdout !== undefined,
  // With a terminal it is part of stdout.
  stderr: stderr !== undefined && !tty,
})

function logVerbs(call: CriClient, view: ContainerView, clock: Clock): Pick<Runtime, 'logs' | 'reopenLog'> {
  return {
    async reopenLog(id, signal) {
      await call(CRI.reopenContainerLog, { id: view.rawId(id) }, { signal })
    },
    async logs(id, options: LogOptions, signal) {
      const raw = view.rawId(id)
      const path = (await view.statusOf(raw, signal))?.logPath
      if (path === undefined) return undefined
      const running = async () => {
        const state = (await view.statusOf(raw, signal))?.state
        return state !== undefined && containers.CONTAINER_STATES[state] === 'running'
      }
      return readLog({ path, clock, running }, options, signal)
    },
  }
}

async function runtimeStatus(call: CriClient, signal: AbortSignal): Promise<RuntimeStatus> {
  const { status, handlers, features } = await call(CRI.status, { verbose: false }, { signal })
  const conditionOf = (type: string) => status?.conditions.find((c) => c.type === type)
  const [runtime, network] = [conditionOf('RuntimeReady'), conditionOf('NetworkReady')]
  const failing = [runtime, network].find((c) => c?.status === false)
  return {
    ready: runtime?.status === true,
    networkReady: network?.status === true,
    ...(handlers.length > 0 && { handlers: handlers.map(handlerOf) }),
    ...(features && { supplementalGroupsPolicy: features.supplementalGroupsPolicy }),
    ...(failing !== undefined && {
      message: `${failing.type}=false reason:${failing.reason} message:${failing.message}`,
    }),
  }
}

const handlerOf = ({ name, features }: HandlerMessage): RuntimeHandler => ({
  name,
  recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts === true,
  userNamespaces: features?.userNamespaces === true,
})

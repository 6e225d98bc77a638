import { mkdirSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import type { CommandStreams } from '../../../machinery/streams.ts'
import { type GrpcCode, GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import { answer, serveUnix } from '../../../sdk/grpc/serve-unix.ts'
import { acceptCommand } from '../../../streaming/accept-command.ts'
import { upgradeServer } from '../../../streaming/upgrade.double.ts'
import type { ContainerSpec } from '../container-spec.ts'
import type { ContainerStatus, Runtime, SandboxStatus } from '../runtime.ts'
import { RuntimeError, type RuntimeErrorCode } from '../runtime-error.ts'
import * as containers from './api/container.ts'
import type * as images from './api/image.ts'
import { ImageSpec } from './api/image.ts'
import type * as sandboxes from './api/sandbox.ts'
import { RUNTIME_SERVICE as CRI, IMAGE_SERVICE as IMAGES } from './api/services.ts'
import { LABELS } from './from-cri.ts'

export interface CriServerOptions {
  readonly socketPath: string
  /** What runs the containers. */
  readonly runtime: Runtime
  /** Where the logs of containers go. */
  readonly folder: string
  readonly clock: Clock
}

const never = new AbortController().signal

/** A server of the Container Runtime Interface over any runtime: what is asked over the socket, the runtime does. */
export async function serveCri({ socketPath, runtime, folder, clock }: CriServerOptions): Promise<AsyncDisposable> {
  const logPath = (id: string) => path.join(folder, `${id.replace(/\W/g, '-')}.log`)
  const labels = new Map<string, ReadonlyMap<string, string>>()
  const find = async (id: string) => (await runtime.containers({}, never)).find((c) => c.id === id)
  const writing = new Map<string, Promise<void>>()
  const streams = await streamServer(runtime, clock)
  const server = await serveUnix(
    socketPath,
    [
      answer(CRI.version, () => ({ version: '0.1.0', name: 'double', runtimeVersion: 'v0', apiVersion: 'v1' })),
      answer(CRI.status, async () => {
        const { ready, networkReady } = await runtime.status(never)
        const condition = (type: string, status: boolean) => ({ type, status, reason: '', message: '' })
        const conditions = [condition('RuntimeReady', ready), condition('NetworkReady', networkReady)]
        return { status: { conditions }, handlers: [], features: undefined }
      }),
      answer(CRI.runPodSandbox, ({ config }) => told(async () => ({ id: await runtime.runSandbox(sandboxSpec(config), never) }))),
      answer(CRI.stopPodSandbox, ({ id }) => told(async () => void (await runtime.stopSandbox(id, never))).then(() => ({}))),
      answer(CRI.removePodSandbox, ({ id }) => told(() => runtime.removeSandbox(id, never)).then(() => ({}))),
      answer(CRI.listPodSandbox, async ({ filter }) => ({
        items: (await runtime.sandboxes(podFilter(filter?.labels), never)).map(listedSandbox),
      })),
      answer(CRI.podSandboxStatus, async ({ id }) => {
        const found = (await runtime.sandboxes({}, never)).find((s) => s.id === id)
        if (found === undefined) throw new GrpcError('NotFound', `sandbox ${id}: not found`)
        const [ip = '', ...more] = found.ips
        return { status: { ...listedSandbox(found), network: { ip, additionalIps: more.map((one) => ({ ip: one })) } } }
      }),
      answer(CRI.createContainer, ({ sandboxId, config, sandboxConfig }) =>
        told(async () => {
          const pod = podIn(config?.labels ?? sandboxConfig?.labels ?? new Map())
          const id = await runtime.createContainer(sandboxId, containerSpec(pod, config), never)
          labels.set(id, config?.labels ?? new Map())
          return { id }
        }),
      ),
      answer(CRI.startContainer, ({ id }) =>
        told(async () => {
          await runtime.startContainer(id, never)
          writing.set(id, writeLog(runtime, id, logPath(id)))
          return {}
        }),
      ),
      answer(CRI.stopContainer, ({ id, timeoutS }) => told(() => runtime.stopContainer(id, timeoutS * 1000, never)).then(() => ({}))),
      answer(CRI.removeContainer, ({ id }) => told(() => runtime.removeContainer(id, never)).then(() => ({}))),
      answer(CRI.listContainers, async ({ filter }) => ({
        containers: (await runtime.containers(podFilter(filter?.labels), never)).map((c) => listedContainer(c, labels.get(c.id))),
      })),
      answer(CRI.containerStatus, async ({ id }) => {
        const found = await find(id)
        if (found === undefined) throw new GrpcError('NotFound', `container ${id}: not found`)
        // Its log is whole when it has ended.
        if (found.state === 'exited') await writing.get(id)
        return { status: statusResponse(found, { labels: labels.get(id), logPath: logPath(id) }) }
      }),
      answer(CRI.updateContainerResources, ({ id, linux }) =>
        told(() => runtime.updateResources(id, { cpuShares: linux?.cpuShares ?? 0 }, never)).then(() => ({})),
      ),
      answer(CRI.listContainerStats, async ({ filter }) => ({
        stats: (await runtime.stats(podFilter(filter?.labels), never)).map((s) => ({
          attributes: { id: s.containerId, metadata: { name: s.name, attempt: 0 }, labels: labels.get(s.containerId) ?? new Map() },
          cpu: { timestamp: s.atMs * 1e6, coreNanoseconds: { value: s.cpuNanoseconds } },
          memory: undefined,
          layer: undefined,
        })),
      })),
      answer(CRI.execSync, ({ id, command, timeoutS }) =>
        told(async () => {
          const { exitCode, stdout, stderr } = await runtime.execSync(id, command, timeoutS * 1000, never)
          return { exitCode, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) }
        }),
      ),
      answer(CRI.exec, ({ id, command, ...wanted }) => ({ url: streams.urlOf({ id, command, wanted }) })),
      answer(IMAGES.imageStatus, async ({ image }) => {
        const found = await runtime.imageStatus(image?.image ?? '', never)
        return { image: found && imageResponse(found) }
      }),
      answer(IMAGES.pullImage, ({ image }) =>
        told(async () => ({ imageRef: (await runtime.pullImage({ image: image?.image ?? '' }, never)).name })),
      ),
      answer(IMAGES.listImages, async () => ({ images: (await runtime.images(never)).map(imageResponse) })),
      answer(IMAGES.removeImage, ({ image }) => told(() => runtime.removeImage(image?.image ?? '', never)).then(() => ({}))),
    ],
    { clock },
  )
  mkdirSync(folder, { recursive: true })
  return {
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await streams[Symbol.asyncDispose]()
    },
  }
}

const CODES: Readonly<Partial<Record<RuntimeErrorCode, GrpcCode>>> = {
  'not-found': 'NotFound',
  'already-exists': 'AlreadyExists',
  deadline: 'DeadlineExceeded',
}

/** Errors of the runtime as gRPC's. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RuntimeError) throw new GrpcError(CODES[error.code] ?? 'Unknown', error.message)
    throw error
  }
}

/** Commands that wait for their client at a URL. */
async function streamServer(runtime: Runtime, clock: Clock) {
  interface Waiting {
    readonly id: string
    readonly command: readonly string[]
    readonly wanted: CommandStreams
  }
  const waiting: Waiting[] = []
  const server = await upgradeServer((request, refusal) => void serve(request, refusal))
  async function serve(...[request, refusal]: Parameters<Parameters<typeof upgradeServer>[0]>): Promise<void> {
    const found = waiting[Number(request.url.slice(1))]
    if (found === undefined) return
    const accepted = await acceptCommand(request, refusal, found.wanted, { clock })
    if (accepted === undefined) return
    const { exitCode } = await runtime.exec(found.id, found.command, accepted.streams, accepted.gone)
    await accepted.finish({ kind: 'exit', exitCode })
  }
  return {
    urlOf: (one: Waiting) => `http://127.0.0.1:${server.port}/${waiting.push(one) - 1}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function writeLog(runtime: Runtime, id: string, file: string): Promise<void> {
  await appendFile(file, '')
  for await (const text of (await runtime.logs(id, { follow: true, timestamps: true }, never)) ?? [])
    for (const line of text.trimEnd().split('\n')) await appendFile(file, `${line.replace(' ', ' stdout F ')}\n`)
}

const podFilter = (labels: ReadonlyMap<string, string> = new Map()) => {
  const podUid = labels.get(LABELS.podUid)
  return podUid === undefined ? {} : { podUid }
}

const podIn = (labels: ReadonlyMap<string, string>) => ({
  uid: labels.get(LABELS.podUid) ?? '',
  name: labels.get(LABELS.podName) ?? '',
  namespace: labels.get(LABELS.podNamespace) ?? '',
})

function sandboxSpec(config: sandboxes.SandboxConfig | undefined) {
  const { name = '', uid = '', namespace = '', attempt = 0 } = config?.metadata ?? {}
  const pod = { name, uid, namespace }
  const dns = config?.dns ?? { servers: [], searches: [], options: [] }
  return { pod, attempt, hostname: config?.hostname ?? '', hostNetwork: false, dns, runtimeHandler: '', labels: {}, annotations: {} }
}

function containerSpec(pod: ContainerSpec['pod'], config = containers.ContainerConfig.of({})): ContainerSpec {
  return {
    pod,
    name: config.metadata?.name ?? '',
    attempt: config.metadata?.attempt ?? 0,
    image: config.image?.userSpecifiedImage ?? '',
    imageId: config.image?.image ?? '',
    command: config.command,
    args: config.args,
    environment: config.environment.map(({ key, value }) => ({ name: key, value: Buffer.from(value).toString() })),
    mounts: [],
    devices: config.devices,
    cdiDevices: [],
    labels: Object.fromEntries(config.labels),
    annotations: Object.fromEntries(config.annotations),
    resources: {},
    user: { supplementalGroups: [] },
    stdin: config.stdin,
    tty: config.tty,
  }
}

const listedSandbox = ({ id, pod, attempt, state, createdAtMs }: SandboxStatus) => ({
  id,
  metadata: { ...pod, attempt },
  state: state === 'ready' ? 0 : 1,
  createdAt: createdAtMs * 1e6,
  labels: new Map(),
  annotations: new Map(),
  runtimeHandler: '',
})

const listedContainer = (c: ContainerStatus, labels: ReadonlyMap<string, string> = new Map()) => ({
  id: c.id,
  sandboxId: c.sandboxId,
  metadata: { name: c.name, attempt: c.attempt },
  image: ImageSpec.of({ image: c.image.name }),
  imageRef: c.image.id,
  state: containers.CONTAINER_STATES.indexOf(c.state),
  createdAt: c.createdAtMs * 1e6,
  labels,
  annotations: new Map(Object.entries(c.annotations)),
})

interface StatusExtras {
  readonly labels: ReadonlyMap<string, string> | undefined
  readonly logPath: string
}

function statusResponse(c: ContainerStatus, { labels, logPath }: StatusExtras): containers.StatusMessage {
  const { sandboxId: _, ...listed } = listedContainer(c, labels)
  return {
    ...listed,
    startedAt: (c.startedAtMs ?? 0) * 1e6,
    finishedAt: (c.finishedAtMs ?? 0) * 1e6,
    exitCode: c.exitCode ?? 0,
    reason: c.reason ?? '',
    message: c.message ?? '',
    mounts: [],
    logPath,
    resources: {
      linux: {
        cpuPeriod: 0,
        cpuQuota: 0,
        cpuShares: c.resources.cpuShares ?? 0,
        memoryLimit: 0,
        oomScoreAdj: 0,
        cpus: '',
        memoryNodes: '',
        hugePageLimits: [],
        memorySwapLimit: 0,
      },
    },
    user: undefined,
    stopSignal: 0,
  }
}

const imageResponse = ({
  id,
  name,
  sizeBytes,
}: {
  readonly id: string
  readonly name: string
  readonly sizeBytes: number
}): images.ImageMessage => ({
  id,
  tags: [name],
  digests: [],
  size: sizeBytes,
  uid: undefined,
  username: '',
  pinned: false,
})

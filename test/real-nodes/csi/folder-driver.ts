import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, rmdir, stat, statfs, truncate, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { CsiControllerPart, CsiNodePart, CsiStorageDriver } from '../../../src/sdk/csi/csi-driver.ts'
import { ACCESS_MODE } from '../../../src/sdk/csi/volume.ts'
import { GrpcError } from '../../../src/sdk/grpc/grpc-error.ts'

const run = promisify(execFile)

/** What is known of a volume. */
interface FolderVolume {
  readonly name: string
  readonly bytes: number
  readonly context: Readonly<Record<string, string>>
}

export interface FolderDriverOptions {
  readonly name: string
  /** Has the volumes: a folder for each, or a file for one that is used as a device. */
  readonly root: string
  readonly nodeId: string
}

/** Where nodes say which machine they are. */
const topologyKey = (driver: string) => `topology.${driver}/node`

/** A driver whose volumes are folders of one machine. */
export function folderDriver({ name, root, nodeId }: FolderDriverOptions): CsiStorageDriver {
  const volumes = new FolderVolumes(root)
  const segments = new Map([[topologyKey(name), nodeId]])
  return {
    name,
    version: '1.0.0',
    topology: true,
    controller: folderController(volumes, nodeId, segments),
    node: folderNode(volumes, nodeId, segments),
  }
}

function folderController(volumes: FolderVolumes, nodeId: string, segments: ReadonlyMap<string, string>): CsiControllerPart {
  const described = ({ name, bytes, context }: FolderVolume) => ({
    volumeId: name,
    capacityBytes: bytes,
    volumeContext: new Map(Object.entries(context)),
    contentSource: undefined,
    accessibleTopology: [{ segments }],
  })
  return {
    async create({ name, capacityRange, parameters, volumeCapabilities }) {
      const { requiredBytes = 0, limitBytes = 0 } = capacityRange ?? {}
      const known = await volumes.find(name)
      if (known !== undefined && (known.bytes < requiredBytes || (limitBytes > 0 && known.bytes > limitBytes)))
        throw new GrpcError('AlreadyExists', `volume ${name} has ${known.bytes} bytes`)
      const block = volumeCapabilities.some((capability) => capability.block !== undefined)
      const bytes = requiredBytes > 0 ? requiredBytes : limitBytes
      return described(known ?? (await volumes.make({ name, bytes, context: Object.fromEntries(parameters) }, block)))
    },
    delete: (volumeId) => volumes.remove(volumeId),
    exists: async (volumeId) => (await volumes.find(volumeId)) !== undefined,
    async attach(_volumeId, wanted) {
      if (wanted !== nodeId) throw new GrpcError('NotFound', `there is no node ${wanted}`)
      return new Map()
    },
    async detach() {},
    async expand({ volumeId, requiredBytes }) {
      await volumes.grow(volumeId, requiredBytes)
      return { capacityBytes: requiredBytes, byNode: true }
    },
    list: async () => (await volumes.all()).map(described),
    capacity: () => volumes.free(),
  }
}

function folderNode(volumes: FolderVolumes, nodeId: string, segments: ReadonlyMap<string, string>): CsiNodePart {
  /** Where each volume is that one pod alone may have. */
  const alone = new Map<string, string>()
  return {
    info: async () => ({ nodeId, accessibleTopology: { segments } }),
    async stage({ volumeId, stagingPath }) {
      if (await volumes.isBlock(volumeId)) await attachDevice(volumes.contentOf(volumeId))
      else await bind(volumes.contentOf(volumeId), stagingPath, false)
    },
    async unstage(volumeId, stagingPath) {
      await unmount(stagingPath)
      if (await volumes.isBlock(volumeId)) await detachDevices(volumes.contentOf(volumeId))
    },
    async publish({ volumeId, stagingPath, targetPath, readOnly, volumeContext, capability }) {
      if (capability.accessMode?.mode === ACCESS_MODE.singleNodeSingleWriter) {
        if ((alone.get(volumeId) ?? targetPath) !== targetPath)
          throw new GrpcError('FailedPrecondition', `volume ${volumeId} is published at ${alone.get(volumeId)}`)
        alone.set(volumeId, targetPath)
      }
      if (await volumes.isBlock(volumeId)) return publishDevice(volumes.contentOf(volumeId), targetPath)
      // A pod may describe a volume itself: it lives as long as the pod.
      if (stagingPath === '' && volumeContext.get('csi.storage.k8s.io/ephemeral') === 'true')
        await volumes.make({ name: volumeId, bytes: 0, context: {} }, false)
      await mkdir(targetPath, { recursive: true })
      await bind(stagingPath === '' ? volumes.contentOf(volumeId) : stagingPath, targetPath, readOnly)
    },
    async unpublish(volumeId, targetPath) {
      await unmount(targetPath)
      await removeTarget(targetPath)
      if (alone.get(volumeId) === targetPath) alone.delete(volumeId)
      if (volumeId.startsWith('csi-')) await volumes.remove(volumeId)
    },
    async expand({ volumeId, path: at }) {
      if (!existsSync(at)) throw new GrpcError('NotFound', `volume ${volumeId} is not at ${at}`)
    },
    async stats(volumeId, at) {
      if (!existsSync(at) || (await volumes.find(volumeId)) === undefined)
        throw new GrpcError('NotFound', `volume ${volumeId} is not at ${at}`)
      const { blocks, bsize, bavail, bfree } = await statfs(at)
      return { bytes: { total: blocks * bsize, used: (blocks - bfree) * bsize, available: bavail * bsize } }
    },
  }
}

/** The volumes in a folder. */
class FolderVolumes {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  contentOf(id: string): string {
    return path.join(this.#folderOf(id), 'content')
  }

  async find(id: string): Promise<FolderVolume | undefined> {
    const text = await readFile(path.join(this.#folderOf(id), 'volume.json'), 'utf8').catch(() => undefined)
    return text === undefined ? undefined : JSON.parse(text)
  }

  async all(): Promise<readonly FolderVolume[]> {
    const names = await readdir(this.#root).catch(() => [])
    return (await Promise.all(names.map((name) => this.find(name)))).filter((volume) => volume !== undefined)
  }

  /** Bytes of the file system that has them. */
  async free(): Promise<number> {
    await mkdir(this.#root, { recursive: true })
    const { bavail, bsize } = await statfs(this.#root)
    return bavail * bsize
  }

  async make(volume: FolderVolume, block: boolean): Promise<FolderVolume> {
    await mkdir(this.#folderOf(volume.name), { recursive: true })
    if (block) {
      await writeFile(this.contentOf(volume.name), '', { flag: 'a' })
      await truncate(this.contentOf(volume.name), volume.bytes)
    } else await mkdir(this.contentOf(volume.name), { recursive: true })
    await this.#write(volume)
    return volume
  }

  async grow(id: string, bytes: number): Promise<void> {
    const volume = await this.find(id)
    if (volume === undefined || volume.bytes >= bytes) return
    if (await this.isBlock(id)) await truncate(this.contentOf(id), bytes)
    await this.#write({ ...volume, bytes })
  }

  async isBlock(id: string): Promise<boolean> {
    return (await stat(this.contentOf(id)).catch(() => undefined))?.isFile() === true
  }

  remove(id: string): Promise<void> {
    return rm(this.#folderOf(id), { recursive: true, force: true })
  }

  async #write(volume: FolderVolume): Promise<void> {
    await writeFile(path.join(this.#folderOf(volume.name), 'volume.json'), JSON.stringify(volume))
  }

  /** An id comes from outside: it names nothing but a folder here. */
  #folderOf(id: string): string {
    return path.join(this.#root, encodeURIComponent(id).replaceAll('.', '%2E').slice(0, 250))
  }
}

async function bind(source: string, at: string, readOnly: boolean): Promise<void> {
  if (!existsSync(source)) throw new GrpcError('NotFound', `there is no ${source}`)
  if (await isMounted(at)) return
  await run('mount', ['--bind', source, at])
  if (readOnly) await run('mount', ['-o', 'remount,bind,ro', at])
}

async function unmount(at: string): Promise<void> {
  while (await isMounted(at)) await run('umount', [at])
}

async function isMounted(at: string): Promise<boolean> {
  const table = await readFile('/proc/self/mountinfo', 'utf8')
  return table.split('\n').some((line) => line.split(' ')[4] === at)
}

/** The file as a device of this machine. */
async function attachDevice(file: string): Promise<string> {
  const [known] = await devicesOf(file)
  return known ?? (await run('losetup', ['-f', '--show', file])).stdout.trim()
}

async function detachDevices(file: string): Promise<void> {
  for (const device of await devicesOf(file)) await run('losetup', ['-d', device])
}

async function devicesOf(file: string): Promise<readonly string[]> {
  const { stdout } = await run('losetup', ['-j', file, '-n', '-O', 'NAME'])
  return stdout
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

/** The device under the name that the node asks for. */
async function publishDevice(file: string, targetPath: string): Promise<void> {
  const device = await attachDevice(file)
  await writeFile(targetPath, '', { flag: 'a' })
  if (!(await isMounted(targetPath))) await run('mount', ['--bind', device, targetPath])
}

async function removeTarget(at: string): Promise<void> {
  const stats = await stat(at).catch(() => undefined)
  if (stats === undefined) return
  if (stats.isDirectory()) await rmdir(at)
  else await unlink(at)
}

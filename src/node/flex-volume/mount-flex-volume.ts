import { mkdir, rmdir } from 'node:fs/promises'
import { hasCode } from '../../base/has-code.ts'
import { NODES, SECRETS } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { FlexDriver, FlexOptions } from '../../sdk/flex-volume/flex-driver.ts'
import type { FlexDrivers } from '../../sdk/flex-volume/flex-drivers.ts'
import { FlexError } from '../../sdk/flex-volume/flex-error.ts'
import { type FlexVolume, flexVolumeName, optionsOf } from '../../sdk/flex-volume/flex-volume.ts'
import { type Pod, podRef } from '../types/pod.ts'
import { MountError } from '../volumes/mount-error.ts'
import { ownFiles } from '../volumes/own-files.ts'
import { flexDevicePath, flexMountPath } from './flex-folders.ts'

/** The mounts of this machine that are made where a driver leaves a step to the node. */
export interface DefaultMounts {
  bind(source: string, at: string, options: { readonly readOnly: boolean }): Promise<void>
  /** Makes a file system on a device that has none. */
  device(device: string, at: string, fsType: string): Promise<void>
  unmount(at: string): Promise<void>
  isMounted(at: string): Promise<boolean>
}

export interface FlexMountDeps {
  /** As `system:node:<name>`. */
  readonly client: Client
  readonly nodeName: string
  /** The kubelet's folder. */
  readonly root: string
  readonly drivers: FlexDrivers
  readonly mounts: DefaultMounts
}

/** A volume that a pod is about to use. */
export interface FlexMountRequest {
  readonly pod: Pod
  readonly volume: FlexVolume
}

/** Mounts the volume for the pod; resolves with its path. What is mounted already is left as it is. Rejects with `MountError`. */
export async function mountFlexVolume(request: FlexMountRequest, deps: FlexMountDeps): Promise<string> {
  const { volume } = request
  const during =
    (operation: string) =>
    (cause: unknown): never => {
      throw new MountError(operation, volume.name, { cause })
    }
  const driver = await foundDriver(volume.driver, deps.drivers).catch(during('MountVolume.SetUp'))
  if (driver.capabilities.attach) {
    const device = await waitForDevice(driver, volume, deps).catch(during('MountVolume.WaitForAttach'))
    await mountDevice(driver, { volume, device }, deps).catch(during('MountVolume.MountDevice'))
  }
  return setUp(driver, request, deps).catch(during('MountVolume.SetUp'))
}

/** @throws {FlexError} */
export async function foundDriver(name: string, drivers: FlexDrivers): Promise<FlexDriver> {
  const driver = await drivers.find(name)
  if (driver === undefined) throw new FlexError('no volume plugin matched')
  return driver
}

async function waitForDevice(driver: FlexDriver, volume: FlexVolume, { client, nodeName }: FlexMountDeps): Promise<string> {
  const { status } = await client.get({ ...NODES, name: nodeName })
  const attached = status?.volumesAttached?.find((one) => one.name === flexVolumeName(volume))
  if (attached === undefined) throw new FlexError('volume is not attached')
  const seen = await driver.tryCall('waitforattach', attached.devicePath, optionsOf(volume))
  return seen?.device || attached.devicePath
}

interface AttachedDevice {
  readonly volume: FlexVolume
  readonly device: string
}

async function mountDevice(driver: FlexDriver, { volume, device }: AttachedDevice, { root, mounts }: FlexMountDeps): Promise<void> {
  const at = flexDevicePath(root, volume)
  if (await prepared(at, mounts)) return
  const done = await driver.tryCall('mountdevice', at, device, optionsOf(volume))
  if (done === undefined && device !== '') await mounts.device(device, at, volume.fsType)
}

async function setUp(driver: FlexDriver, { pod, volume }: FlexMountRequest, deps: FlexMountDeps): Promise<string> {
  const at = flexMountPath(deps.root, podRef(pod).uid, volume)
  // A driver that mounted and then failed is not called again, as by the kubelet.
  if (await prepared(at, deps.mounts)) return at
  try {
    const options = optionsOf(volume, { ...aboutPod(pod), ...(await secretOptions(volume, deps.client)) })
    const done = await driver.tryCall('mount', at, options)
    if (done === undefined) await bindDevice(driver, { volume, at }, deps)
  } catch (error) {
    await rmdir(at).catch(ignoreBusy)
    throw error
  }
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {}
  if (fsGroup !== undefined && !volume.readOnly && driver.capabilities.fsGroup)
    await ownFiles(at, fsGroup, fsGroupChangePolicy === 'OnRootMismatch')
  return at
}

/** For drivers that mount devices alone. */
async function bindDevice(
  driver: FlexDriver,
  { volume, at }: { readonly volume: FlexVolume; readonly at: string },
  { root, mounts }: FlexMountDeps,
): Promise<void> {
  await driver.tryCall('getvolumename', optionsOf(volume))
  await mounts.bind(flexDevicePath(root, volume), at, { readOnly: volume.readOnly })
}

/** Makes the folder of a mount. True: something is mounted there already. */
async function prepared(at: string, mounts: DefaultMounts): Promise<boolean> {
  await mkdir(at, { recursive: true, mode: 0o750 })
  return mounts.isMounted(at)
}

const aboutPod = (pod: Pod): FlexOptions => {
  const { name, namespace, uid } = podRef(pod)
  const { fsGroup } = pod.spec.securityContext ?? {}
  return {
    'kubernetes.io/pod.name': name,
    'kubernetes.io/pod.namespace': namespace,
    'kubernetes.io/pod.uid': uid,
    'kubernetes.io/serviceAccount.name': pod.spec.serviceAccountName ?? '',
    ...(fsGroup !== undefined && { 'kubernetes.io/mounterArgs.FsGroup': String(fsGroup) }),
  }
}

/** The values stay as the API has them, in base64. The type of the secret has to be the driver's name. @throws {FlexError} */
async function secretOptions({ driver, secret }: FlexVolume, client: Client): Promise<FlexOptions> {
  const { name = '', namespace = '' } = secret ?? {}
  if (secret === undefined) return {}
  const failed = (why: string, cause?: unknown) => new FlexError(`couldn't get secret ${namespace}/${name} err: ${why}`, { cause })
  const { type, data = {} } = await client.get({ ...SECRETS, namespace, name }).catch((error) => {
    throw failed(error.message, error)
  })
  if (type !== driver) throw failed(`cannot get secret of type ${driver}`)
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [`kubernetes.io/secret/${key}`, text]))
}

/** What a driver has mounted stays: the next attempt finds it. */
function ignoreBusy(error: unknown): void {
  if (!hasCode(error, 'EBUSY', 'ENOTEMPTY', 'ENOENT')) throw error
}

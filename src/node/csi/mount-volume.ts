import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '../../base/message-of.ts'
import { quiet } from '../../base/quiet.ts'
import type { CSIDriver } from '../../resources/types/storage.ts'
import type { Client } from '../../sdk/client/client.ts'
import { capabilityOf } from '../../sdk/csi/capability-of.ts'
import { CSI_NODE, NODE_CAPABILITY, NodePublishVolumeRequest, NodeStageVolumeRequest } from '../../sdk/csi/node-service.ts'
import type { VolumeCapability } from '../../sdk/csi/volume.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import { type Pod, podRef } from '../types/pod.ts'
import { MountError } from '../volumes/mount-error.ts'
import { ownFiles } from '../volumes/own-files.ts'
import type { IssueToken } from '../volumes/service-account-tokens.ts'
import type { CsiDriver, CsiDrivers } from './csi-drivers.ts'
import { CsiError } from './csi-error.ts'
import { type CsiFolders, podVolumeFolder, stagedFolder, stagingPathIn, targetIn } from './csi-folders.ts'
import { attachmentId, type CsiVolume } from './csi-volume.ts'
import { checkInline, type GroupChange, groupChange, podAttributes, tokenAttributes } from './publish-options.ts'
import { publishContext, readDriver, readSecret } from './read-objects.ts'
import { removeVolumeFolder, writeVolumeData } from './volume-data.ts'

export interface MountDeps {
  /** As `system:node:<name>`. */
  readonly client: Client
  readonly nodeName: string
  readonly drivers: CsiDrivers
  readonly folders: CsiFolders
  readonly mounts: DeviceMounts
}

/** The mounts of this machine, for devices. */
export interface DeviceMounts {
  bind(source: string, at: string): Promise<void>
  unmount(at: string): Promise<void>
  below(path: string): Promise<readonly string[]>
}

/** A volume that a pod is about to use. */
export interface MountRequest {
  readonly pod: Pod
  readonly volume: CsiVolume
  readonly issueToken: IssueToken
}

/** What the calls for one volume have in common. */
export interface Calls {
  readonly driver: CsiDriver
  readonly object: CSIDriver | undefined
  readonly group: GroupChange
  readonly stages: boolean
  readonly capability: VolumeCapability
  readonly context: ReadonlyMap<string, string>
}

/**
 * Stages the volume on the node and publishes it to the pod; resolves with its path. What is there already is asked for again: drivers
 * leave it as it is. Rejects with `MountError`.
 */
export async function mountVolume(request: MountRequest, deps: MountDeps): Promise<string> {
  const { volume } = request
  const during = failingDuring(volume)
  const object = await readDriver(deps.client, volume.driver).catch(during('MountVolume.SetUp'))
  const first = volume.inline ? 'MountVolume.SetUp' : 'MountVolume.MountDevice'
  if (volume.inline)
    try {
      checkInline(volume, object)
    } catch (error) {
      during('MountVolume.NewMounter initialization')(error)
    }
  const calls = await prepare(request, object, deps).catch(during(first))
  const staged = calls.stages ? await stage(volume, calls, deps).catch(during('MountVolume.MountDevice')) : undefined
  return publish(request, { ...calls, staged }, deps).catch(during('MountVolume.SetUp'))
}

/** Names the step that failed. */
export const failingDuring =
  ({ name }: Pick<CsiVolume, 'name'>) =>
  (operation: string) =>
  (cause: unknown): never => {
    throw new MountError(operation, name, { cause })
  }

export async function prepare({ pod, volume }: MountRequest, object: CSIDriver | undefined, deps: MountDeps): Promise<Calls> {
  const driver = registered(volume, deps.drivers)
  const can = await driver.capabilities()
  const group = groupChange(pod, volume, object, can)
  const mountGroup = group.kind === 'by driver' ? { mountGroup: String(group.gid) } : {}
  return {
    driver,
    object,
    group,
    stages: !volume.inline && can.has(NODE_CAPABILITY.stageUnstageVolume),
    capability: capabilityOf({ ...volume, ...mountGroup }, can.has(NODE_CAPABILITY.singleNodeMultiWriter)),
    context: await publishContext(deps.client, volume, { driver: object, nodeName: deps.nodeName }),
  }
}

function registered({ driver, inline }: CsiVolume, drivers: CsiDrivers): CsiDriver {
  try {
    return drivers.get(driver)
  } catch (error) {
    const step = inline ? 'mounter.SetUpAt failed to get CSI client' : 'attacher.MountDevice failed to create newCsiDriverClient'
    throw new CsiError(`kubernetes.io/csi: ${step}: ${messageOf(error)}`, { cause: error })
  }
}

async function stage(volume: CsiVolume, calls: Calls, deps: MountDeps): Promise<string> {
  const folder = stagedFolder(deps.folders, volume)
  const stagingTargetPath = stagingPathIn(folder)
  const request = await stageRequest(volume, { ...calls, stagingTargetPath }, deps)
  await writeVolumeData(folder, dataOf(volume, deps))
  await mkdir(stagingTargetPath, { recursive: true, mode: 0o750 })
  await calls.driver.call(CSI_NODE.stage, request).catch((error) => forgetting(error, folder, stagingTargetPath))
  return stagingTargetPath
}

interface Staging extends Calls {
  readonly stagingTargetPath: string
}

export const stageRequest = async (volume: CsiVolume, { stagingTargetPath, capability, context }: Staging, { client }: MountDeps) =>
  NodeStageVolumeRequest.of({
    volumeId: volume.handle,
    publishContext: context,
    stagingTargetPath,
    volumeCapability: capability,
    secrets: await readSecret(client, volume.secrets.stage),
    volumeContext: new Map(Object.entries(volume.attributes)),
  })

interface Publishing extends Calls {
  readonly staged: string | undefined
}

async function publish(mount: MountRequest, calls: Publishing, deps: MountDeps): Promise<string> {
  const { pod, volume } = mount
  const { driver, group } = calls
  const folder = podVolumeFolder(deps.folders, podRef(pod).uid, volume.name)
  const targetPath = targetIn(folder)
  const request = await publishRequest(mount, { ...calls, targetPath }, deps)
  await writeVolumeData(folder, dataOf(volume, deps))
  await mkdir(path.dirname(targetPath), { recursive: true, mode: 0o750 })
  await driver.call(CSI_NODE.publish, request).catch((error) => forgetting(error, folder, targetPath))
  if (group.kind === 'by node')
    await ownFiles(targetPath, group.gid, group.rootOnly).catch((error) => {
      throw new CsiError(`applyFSGroup failed for vol ${volume.handle}: ${error.message}`, { cause: error })
    })
  return targetPath
}

export async function publishRequest(
  { pod, volume, issueToken }: MountRequest,
  { object, capability, context, staged, targetPath }: Publishing & { readonly targetPath: string },
  { client }: MountDeps,
) {
  const tokens = await tokenAttributes(object, issueToken)
  const inSecrets = object?.spec?.serviceAccountTokenInSecrets === true
  const attributes = { ...volume.attributes, ...podAttributes(pod, volume, object), ...(inSecrets ? {} : tokens) }
  const secrets = new Map([...(await readSecret(client, volume.secrets.publish)), ...(inSecrets ? Object.entries(tokens) : [])])
  return NodePublishVolumeRequest.of({
    volumeId: volume.handle,
    publishContext: context,
    stagingTargetPath: staged ?? '',
    targetPath,
    volumeCapability: capability,
    readonly: volume.readOnly,
    secrets,
    volumeContext: new Map(Object.entries(attributes)),
  })
}

export const dataOf = (volume: CsiVolume, { nodeName }: MountDeps) => ({
  driverName: volume.driver,
  volumeHandle: volume.handle,
  specVolID: volume.name,
  nodeName,
  attachmentID: volume.inline ? '' : attachmentId(volume, nodeName),
  volumeLifecycleMode: volume.inline ? ('Ephemeral' as const) : ('Persistent' as const),
})

/** After these the call may have done its work, or may still. */
const UNCERTAIN: ReadonlySet<string> = new Set(['Canceled', 'DeadlineExceeded', 'Unavailable', 'ResourceExhausted', 'Aborted'])

/** Throws the error. After one that says that nothing was done, nothing has to be undone later. */
async function forgetting(error: unknown, folder: string, mountPoint: string): Promise<never> {
  if (error instanceof GrpcError && !UNCERTAIN.has(error.code)) {
    await quiet(removeVolumeFolder(folder, mountPoint), 'the first error is thrown')
  }
  throw error
}

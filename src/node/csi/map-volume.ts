import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CSI_NODE } from '../../sdk/csi/node-service.ts'
import { podRef } from '../types/pod.ts'
import { blockFolders } from './block-folders.ts'
import {
  type Calls,
  dataOf,
  failingDuring,
  type MountDeps,
  type MountRequest,
  prepare,
  publishRequest,
  stageRequest,
} from './mount-volume.ts'
import { readDriver } from './read-objects.ts'
import { writeVolumeData } from './volume-data.ts'

/** A volume as a device of its pod. */
export interface MappedVolume {
  /** A link to the device, for the runtime. */
  readonly link: string
  /** Where the kubelet shows the devices of all pods. */
  readonly map: string
}

/**
 * Stages the volume on the node and publishes its device to the pod. What is there already is asked for again. Rejects with `MountError`.
 */
export async function mapVolume(request: MountRequest, deps: MountDeps): Promise<MappedVolume> {
  const { pod, volume } = request
  const { uid } = podRef(pod)
  const at = blockFolders(deps.folders, volume.name)
  const [during, link] = [failingDuring(volume), at.link(uid)]
  const calls = await readDriver(deps.client, volume.driver)
    .then((object) => prepare(request, object, deps))
    .catch(during('MapVolume.SetUpDevice'))
  const staged = await stageDevice(request, calls, deps).catch(during('MapVolume.SetUpDevice'))
  await publishDevice(request, { ...calls, staged }, deps).catch(during('MapVolume.MapPodDevice'))
  await showDevice(at.publish(uid), path.join(at.map, uid), deps).catch(during('MapVolume.MapBlockVolume'))
  return { link, map: at.map }
}

async function stageDevice({ volume }: MountRequest, calls: Calls, deps: MountDeps): Promise<string | undefined> {
  const { data, staging } = blockFolders(deps.folders, volume.name)
  await writeVolumeData(data, dataOf(volume, deps))
  if (!calls.stages) return undefined
  await mkdir(staging, { recursive: true, mode: 0o750 })
  await calls.driver.call(CSI_NODE.stage, await stageRequest(volume, { ...calls, stagingTargetPath: staging }, deps))
  return staging
}

async function publishDevice(
  request: MountRequest,
  calls: Calls & { readonly staged: string | undefined },
  deps: MountDeps,
): Promise<void> {
  const { uid } = podRef(request.pod)
  const { publish, link } = blockFolders(deps.folders, request.volume.name)
  const targetPath = publish(uid)
  // The driver makes the last part of its path. The link comes first: by it a later agent finds what has to be removed.
  await mkdir(path.dirname(targetPath), { recursive: true, mode: 0o750 })
  await mkdir(path.dirname(link(uid)), { recursive: true, mode: 0o750 })
  await rm(link(uid), { force: true })
  await symlink(targetPath, link(uid))
  await calls.driver.call(CSI_NODE.publish, await publishRequest(request, { ...calls, targetPath }, deps))
}

async function showDevice(device: string, at: string, { mounts }: MountDeps): Promise<void> {
  await mkdir(path.dirname(at), { recursive: true, mode: 0o750 })
  if ((await mounts.below(at)).length > 0) return
  await writeFile(at, '')
  await mounts.bind(device, at)
}

import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from '../../base/has-code.ts'
import { isObject } from '../../machinery/object.ts'
import { VOLUME_DATA } from './csi-folders.ts'

/** What is known of a mounted volume, beside its mount: enough to take it away after a restart, when its objects may be gone. */
export interface VolumeData {
  readonly driverName: string
  readonly volumeHandle: string
  readonly specVolID: string
  readonly nodeName: string
  readonly attachmentID: string
  readonly volumeLifecycleMode: 'Persistent' | 'Ephemeral'
}

/** Makes the folder. */
export async function writeVolumeData(folder: string, data: VolumeData): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o750 })
  await writeFile(path.join(folder, VOLUME_DATA), JSON.stringify(data), { mode: 0o640 })
}

/** undefined: there is none, or it was not written to its end. */
export async function readVolumeData(folder: string): Promise<VolumeData | undefined> {
  const data = parse(await readFile(path.join(folder, VOLUME_DATA), 'utf8').catch(() => ''))
  const text = (key: string) => (typeof data[key] === 'string' ? data[key] : '')
  const [driverName, volumeHandle] = [text('driverName'), text('volumeHandle')]
  if (driverName === '' || volumeHandle === '') return undefined
  return {
    driverName,
    volumeHandle,
    specVolID: text('specVolID'),
    nodeName: text('nodeName'),
    attachmentID: text('attachmentID'),
    volumeLifecycleMode: data.volumeLifecycleMode === 'Ephemeral' ? 'Ephemeral' : 'Persistent',
  }
}

/** Removes the folder of a volume that is not mounted any more. Files that are left at the mount point are not touched: then it rejects. */
export async function removeVolumeFolder(folder: string, mountPoint: string): Promise<void> {
  await rmdir(mountPoint).catch(ignoreMissing)
  await rm(path.join(folder, VOLUME_DATA), { force: true })
  await rmdir(folder).catch(ignoreMissing)
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error
}

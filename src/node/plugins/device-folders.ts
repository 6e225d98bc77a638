import path from 'node:path'
import { REGISTRATION_SOCKET } from '../../sdk/node-api/device-plugin.ts'

/** Where one node speaks with plugins and with those who ask what its pods hold. */
export interface DeviceFolders {
  /** Holds `kubelet.sock`, the sockets of plugins and the checkpoint. */
  readonly plugins: string
  /** Watched for plugins that wait to be found. */
  readonly registry: string
  /** Holds the socket of PodResources. */
  readonly podResources: string
}

/**
 * The kubelet's own layout inside a folder; one that is called `device-plugins` is taken for the kubelet's, whose neighbours are the
 * others.
 */
export function deviceFolders(folder: string): DeviceFolders {
  const whole = path.resolve(folder)
  const root = path.basename(whole) === 'device-plugins' ? path.dirname(whole) : whole
  return {
    plugins: path.join(root, 'device-plugins'),
    registry: path.join(root, 'plugins_registry'),
    podResources: path.join(root, 'pod-resources'),
  }
}

export const registrationSocket = (folders: DeviceFolders) => path.join(folders.plugins, REGISTRATION_SOCKET)
export const podResourcesSocket = (folders: DeviceFolders) => path.join(folders.podResources, REGISTRATION_SOCKET)

import path from 'node:path'
import { REGISTRATION_SOCKET } from '../../sdk/node-api/device-plugin.ts'

/** The folders of one node's plugin sockets and of its PodResources socket. */
export interface DeviceFolders {
  /** Has `kubelet.sock`, the sockets of plugins and the checkpoint. */
  readonly plugins: string
  /** Watched for plugins to register. */
  readonly registry: string
  /** Has the socket of PodResources. */
  readonly podResources: string
}

/** The kubelet's layout inside a folder; a folder named `device-plugins` is the kubelet's own, and the others are its siblings. */
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

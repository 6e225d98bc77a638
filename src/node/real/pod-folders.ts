import path from 'node:path'
import type { PodRef } from '../runtime/container-spec.ts'

/** Where a node keeps what is its pods', in the kubelet's layout: other programs (log collectors, CSI drivers) read these paths. */
export interface NodeFolders {
  /** `/var/lib/kubelet`. */
  readonly root: string
  /** `/var/log/pods`. */
  readonly logs: string
  /** `/var/log/containers`: links to logs by readable names. */
  readonly containerLogs: string
}

export const KUBELET_FOLDERS: NodeFolders = { root: '/var/lib/kubelet', logs: '/var/log/pods', containerLogs: '/var/log/containers' }

export const podsFolder = ({ root }: NodeFolders): string => path.join(root, 'pods')

const EMPTY_DIR = 'kubernetes.io/empty-dir'

/** The folders and files of one pod. */
export interface PodFolders {
  readonly pod: string
  readonly etcHosts: string
  readonly logs: string
  /** Of a volume, by the name of its plugin (`kubernetes.io/empty-dir`). */
  volume(plugin: string, name: string): string
  /** A file that is there once a volume's folder was made; volumes with content are wrapped emptyDirs. */
  marker(plugin: string, name: string): string
  /** Where a part of a volume is mounted for the n-th mount of a container. */
  subPath(volume: string, container: string, index: number): string
  /** Where a container writes its termination message. */
  container(name: string): string
  readonly subPaths: string
  readonly volumes: string
  /** Marks of what was made once. */
  readonly plugins: string
}

export function podFolders(folders: NodeFolders, { uid, name, namespace }: PodRef): PodFolders {
  const pod = path.join(podsFolder(folders), uid)
  const [subPaths, volumes] = [path.join(pod, 'volume-subpaths'), path.join(pod, 'volumes')]
  return {
    pod,
    subPaths,
    volumes,
    plugins: path.join(pod, 'plugins'),
    etcHosts: path.join(pod, 'etc-hosts'),
    logs: path.join(folders.logs, `${namespace}_${name}_${uid}`),
    volume: (plugin, volume) => path.join(volumes, plugin.replace('/', '~'), volume),
    marker: (plugin, name) =>
      path.join(pod, 'plugins', 'kubernetes.io~empty-dir', plugin === EMPTY_DIR ? name : `wrapped_${name}`, 'ready'),
    subPath: (volume, container, index) => path.join(subPaths, volume, container, String(index)),
    container: (container) => path.join(pod, 'containers', container),
  }
}

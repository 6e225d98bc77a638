import type { HostFileType, NodeHost } from './node-host.ts'

const WORDS: Readonly<Record<HostFileType, string>> = {
  Directory: 'directory',
  File: 'file',
  Socket: 'socket file',
  CharDevice: 'character device',
  BlockDevice: 'block device',
}

/** The kubelet's message if a volume of this path and type is not available. Creates the path if its type allows that. */
export function hostPathFault(host: NodeHost, path: string, type: string): string | undefined {
  if (type === '') return undefined
  const wanted = type.replace(/OrCreate$/, '') as HostFileType
  if (!Object.hasOwn(WORDS, wanted)) return `${type} is an invalid volume type`
  const found = host.typeOf(path)
  if (found === undefined && type.endsWith('OrCreate') && (wanted === 'Directory' || wanted === 'File')) return make(host, path, wanted)
  // A socket or a device counts as a file too.
  const right = found === 'unknown' || found === wanted || (wanted === 'File' && found !== undefined && found !== 'Directory')
  return right ? undefined : `hostPath type check failed: ${path} is not a ${WORDS[wanted]}`
}

/** A file is only created in an existing folder. */
function make(host: NodeHost, path: string, type: 'Directory' | 'File'): string | undefined {
  const folder = path.slice(0, path.lastIndexOf('/')) || '/'
  if (type === 'File' && host.typeOf(folder) === undefined) return `open ${path}: no such file or directory`
  host.make(path, type)
  return undefined
}

import type { FileKeySelector } from '../../../resources/types/core.ts'
import { mountedVolumes, type Pod } from '../../types/pod.ts'

/** Reads the file of a variable; undefined: there is no such file. */
export type ReadVolumeFile = (volume: string, path: string) => string | undefined

/**
 * A variable from a file of a volume, as the kubelet reads it. A string is the kubelet's message of a failure; undefined omits the
 * variable.
 * A volume that no container mounts does not exist.
 */
export function fileValue(pod: Pod, ref: FileKeySelector, read: ReadVolumeFile): { readonly value?: string; readonly fault?: string } {
  const { volumeName, path, key, optional } = ref
  if (!mountedVolumes(pod).has(volumeName)) return { fault: `cannot find the volume "${volumeName}" referenced by FileKeyRef` }
  const text = read(volumeName, path)
  const value = text === undefined ? undefined : valueIn(text, key)
  if (value === undefined) return { fault: "couldn't parse env file" }
  if (value !== '') return { value }
  if (optional) return {}
  const file = `/var/lib/kubelet/pods/${pod.metadata.uid}/volumes/kubernetes.io~empty-dir/${volumeName}/${path}`
  return { fault: `environment variable key "${key}" not found in file "${file}"` }
}

const LINE = /^([^=]*?)=(.*)$/s

/**
 * The value of a key in lines of `NAME='value'`; empty: the key is missing. undefined: the file is malformed. Lines after the key are not
 * parsed.
 */
export function valueIn(text: string, key: string): string | undefined {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (let i = 0; i < lines.length; i++) {
    const line = trimmed(lines[i] ?? '')
    if (line === '' || line.startsWith('#')) continue
    const [, name = '', written = ''] = LINE.exec(line) ?? []
    if (name === '' || /[ \t]$/.test(name)) return undefined
    // As in a shell, a blank after `=` makes the value empty.
    if (/^[ \t]/.test(written)) {
      if (name === key) return ''
      continue
    }
    if (!written.startsWith("'")) return undefined
    let value = written.slice(1)
    // A quoted value may span several lines.
    while (!value.includes("'")) {
      if (++i >= lines.length) return undefined
      value += `\n${(lines[i] ?? '').replace(/\r$/, '')}`
    }
    const end = value.indexOf("'")
    const rest = trimmed(value.slice(end + 1))
    if (rest !== '' && !rest.startsWith('#')) return undefined
    if (name === key) return value.slice(0, end)
  }
  return ''
}

const trimmed = (line: string) => line.replace(/\r$/, '').replace(/^[ \t]+/, '')

import { lstatSync, mkdirSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { readText } from '../../base/read-text.ts'
import type { HostFileType, NodeHost } from '../host/node-host.ts'
import type { DnsConfig } from '../runtime/container-spec.ts'

export interface RealHostConfig {
  readonly clusterDns: readonly string[]
  readonly clusterDomain: string
  readonly allowedUnsafeSysctls: readonly string[]
  /** The node's own resolver; `''`: none. */
  readonly resolvConf: string
}

/** The machine that this runs on. */
export function createRealHost(config: RealHostConfig): NodeHost {
  return {
    typeOf: (path) => typeOf(statOf(path)),
    make(path, type) {
      if (type === 'Directory') mkdirSync(path, { recursive: true, mode: 0o755 })
      else writeFileSync(path, '', { mode: 0o644, flag: 'a' })
    },
    lacksFileSystems: [],
    appArmor: (readText('/sys/module/apparmor/parameters/enabled') ?? '').startsWith('Y'),
    resolver: readResolver(config.resolvConf),
    clusterDns: config.clusterDns,
    clusterDomain: config.clusterDomain,
    allowedUnsafeSysctls: config.allowedUnsafeSysctls,
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false }) ?? lstatSync(path, { throwIfNoEntry: false })
}

function typeOf(stats: Stats | undefined): HostFileType | undefined {
  if (stats === undefined) return undefined
  if (stats.isDirectory()) return 'Directory'
  if (stats.isSocket()) return 'Socket'
  if (stats.isCharacterDevice()) return 'CharDevice'
  return stats.isBlockDevice() ? 'BlockDevice' : 'File'
}

/** A file as `resolvConf` of the kubelet names it; `''`: none. */
export const readResolver = (file: string): DnsConfig => parseResolver(file === '' ? '' : (readText(file) ?? ''))

/** The lines of a `resolv.conf`. Of `search` and `options` the last line counts. Pure. */
export function parseResolver(text: string): DnsConfig {
  const servers: string[] = []
  let searches: readonly string[] = []
  let options: readonly string[] = []
  for (const line of text.split('\n')) {
    const [word, ...values] = line.trim().split(/\s+/)
    if (word === 'nameserver' && values[0] !== undefined) servers.push(values[0])
    if (word === 'search') searches = values.map((v) => v.replace(/(.)\.$/, '$1'))
    if (word === 'options') options = values
  }
  return { servers, searches, options }
}

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '../../base/message-of.ts'
import { namesIn } from '../../base/names-in.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { CniError } from './cni-error.ts'

/** A plugin's own part of a list: `type` names its program. */
export type PluginConfig = JsonObject & { readonly type: string; readonly capabilities?: Readonly<Record<string, boolean>> }

/** A network: plugins that are called one after the other. */
export interface NetworkList {
  readonly name: string
  readonly cniVersion: string
  readonly disableCheck: boolean
  readonly disableGc: boolean
  readonly plugins: readonly PluginConfig[]
}

/** Of the specification, the oldest first. */
const VERSIONS = ['0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0']
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/

/** Whether a list follows this version of the specification, or a later one. */
export const follows = ({ cniVersion }: NetworkList, version: string): boolean => VERSIONS.indexOf(cniVersion) >= VERSIONS.indexOf(version)

/** The first valid list of a folder by name, as runtimes choose it. @throws {CniError} */
export async function findNetworkList(folder: string): Promise<NetworkList> {
  const names = (await namesIn(folder)).filter((name) => /\.(conf|conflist|json)$/.test(name)).toSorted()
  const faults: string[] = []
  for (const name of names) {
    try {
      return parseNetworkList(await readFile(path.join(folder, name), 'utf8'))
    } catch (error) {
      faults.push(`${name}: ${messageOf(error)}`)
    }
  }
  throw new CniError('no-network', [`no valid networks found in ${folder}`, ...faults].join('; '))
}

/** A list (`.conflist`), or the configuration of one plugin (`.conf`). @throws {CniError} */
export function parseNetworkList(text: string): NetworkList {
  const content = parse(text)
  const { name, plugins = [content] } = content
  if (typeof name !== 'string' || !NAME.test(name)) throw new CniError('bad-network', `invalid network name ${JSON.stringify(name ?? '')}`)
  if (!Array.isArray(plugins) || plugins.length === 0 || !plugins.every(isPlugin))
    throw new CniError('bad-network', `network ${name}: each plugin needs a type`)
  return {
    name,
    cniVersion: versionOf(content),
    disableCheck: isOn(content.disableCheck),
    disableGc: isOn(content.disableGC),
    plugins,
  }
}

function parse(text: string): JsonObject {
  const content: unknown = JSON.parse(text)
  if (!isObject(content)) throw new CniError('bad-network', 'it is not an object')
  return content as JsonObject
}

/** `cniVersions` are what the plugins can do: the latest known one is used. */
function versionOf({ cniVersion, cniVersions }: JsonObject): string {
  const offered = Array.isArray(cniVersions) && cniVersions.length > 0 ? cniVersions : [cniVersion]
  const known = VERSIONS.findLast((version) => offered.includes(version))
  if (known === undefined) throw new CniError('bad-network', `unsupported CNI version ${JSON.stringify(offered.join(', '))}`)
  return known
}

const isPlugin = (value: unknown): value is PluginConfig =>
  isObject(value) && typeof value.type === 'string' && /^[\w.-]+$/.test(value.type)
/** Old files have texts here. */
const isOn = (value: unknown) => value === true || value === 'true'

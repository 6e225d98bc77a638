import type { JsonObject } from '../../machinery/object.ts'
import type { Attachment } from './attachment.ts'
import type { AttachmentRecords } from './attachment-records.ts'
import { type CniCommand, callPlugin, type PluginCall } from './call-plugin.ts'
import { CniError } from './cni-error.ts'
import { follows, type NetworkList, type PluginConfig } from './network-list.ts'

/** What a list of plugins has made of an attachment, in the list's version. */
export interface NetworkResult {
  readonly ips?: readonly { readonly address: string; readonly gateway?: string; readonly interface?: number }[]
  readonly dns?: { readonly nameservers?: readonly string[]; readonly search?: readonly string[]; readonly options?: readonly string[] }
}

export interface PluginNetworkDeps {
  readonly list: NetworkList
  /** The folders with the programs of plugins. */
  readonly path: readonly string[]
  readonly records: AttachmentRecords
}

/** Calls a list of plugins by the specification of the Container Network Interface, 0.4.0 to 1.1. All methods throw `CniError`. */
export class PluginNetwork {
  readonly #deps: PluginNetworkDeps

  constructor(deps: PluginNetworkDeps) {
    this.#deps = deps
  }

  /** Plugs a container in. Where it fails, `remove` takes away what was made. */
  async add(attachment: Attachment, signal: AbortSignal): Promise<NetworkResult> {
    const { list, records } = this.#deps
    // Before anything is made: an agent that is killed meanwhile finds what it has to take away.
    await records.write({ list, attachment })
    let result: JsonObject | undefined
    for (const plugin of list.plugins) result = await this.#call('ADD', plugin, { attachment, result }, signal)
    await records.write({ list, attachment, ...(result && { result }) })
    return result as NetworkResult
  }

  /** Whether the attachment is still as it was made. */
  async check(attachment: Attachment, signal: AbortSignal): Promise<void> {
    const { list, records } = this.#deps
    if (!follows(list, '0.4.0'))
      throw new CniError('unsupported', `configuration version "${list.cniVersion}" does not support CHECK command`)
    if (list.disableCheck) return
    const { result } = (await records.read(list.name, attachment)) ?? {}
    for (const plugin of list.plugins) await this.#call('CHECK', plugin, { attachment, result }, signal)
  }

  /** Unplugs it, in the opposite order. Harmless where nothing is plugged in. */
  async remove(attachment: Attachment, signal: AbortSignal): Promise<void> {
    const { list, records } = this.#deps
    const known = follows(list, '0.4.0') ? await records.read(list.name, attachment) : undefined
    for (const plugin of list.plugins.toReversed()) await this.#call('DEL', plugin, { attachment, result: known?.result }, signal)
    await records.remove(list.name, attachment)
  }

  /** Lets the plugins free what belongs to no attachment of these. */
  async collect(valid: readonly Attachment[], signal: AbortSignal): Promise<void> {
    const { list } = this.#deps
    if (!follows(list, '1.1.0') || list.disableGc) return
    const attachments = valid.map(({ containerId, ifName }) => ({ containerID: containerId, ifname: ifName }))
    for (const plugin of list.plugins) await this.#call('GC', plugin, { more: { 'cni.dev/valid-attachments': attachments } }, signal)
  }

  /** Whether the network can be used now. */
  async status(signal: AbortSignal): Promise<void> {
    const { list } = this.#deps
    if (follows(list, '1.1.0')) for (const plugin of list.plugins) await this.#call('STATUS', plugin, {}, signal)
  }

  async #call(
    command: CniCommand,
    plugin: PluginConfig,
    {
      attachment,
      result,
      more,
    }: { readonly attachment?: Attachment; readonly result?: JsonObject | undefined; readonly more?: JsonObject },
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    const { list, path } = this.#deps
    const config = {
      ...plugin,
      name: list.name,
      cniVersion: list.cniVersion,
      ...runtimeConfig(plugin, attachment),
      ...(result && { prevResult: result }),
      ...more,
    }
    try {
      return await callPlugin({ command, type: plugin.type, path, config, ...containerOf(attachment) }, signal)
    } catch (error) {
      if (!(error instanceof CniError)) throw error
      throw new CniError('plugin', `plugin type="${plugin.type}" failed (${VERBS[command]}): ${error.message}`, { cause: error })
    }
  }
}

const VERBS: Readonly<Record<CniCommand, string>> = { ADD: 'add', CHECK: 'check', DEL: 'delete', GC: 'gc', STATUS: 'status' }

/** What the plugin declares that it wants to know. */
function runtimeConfig({ capabilities = {} }: PluginConfig, attachment: Attachment | undefined): JsonObject {
  const wanted = Object.entries(attachment?.capabilities ?? {}).filter(([name]) => capabilities[name] === true)
  return wanted.length === 0 ? {} : { runtimeConfig: Object.fromEntries(wanted) as JsonObject }
}

function containerOf(attachment: Attachment | undefined): Pick<PluginCall, 'container'> {
  if (attachment === undefined) return {}
  const { containerId: id, namespace, ifName, args } = attachment
  return { container: { id, namespace, ifName, args } }
}

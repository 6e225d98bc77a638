import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { type RecordedEvent, referenceTo } from '../../sdk/controller/event-recorder.ts'
import { type DnsHost, podDns } from '../pod/spec/pod-dns.ts'
import type { SandboxSpec } from '../runtime/container-spec.ts'
import type { AdmitHandler, HeldBack } from '../types/admit-handler.ts'
import { type Container, type Pod, podRef } from '../types/pod.ts'
import { attachmentOf } from './attachment-of.ts'
import { AttachmentRecords } from './attachment-records.ts'
import { CniError } from './cni-error.ts'
import { findNetworkList, follows, type NetworkList } from './network-list.ts'
import { makeNamespace, removeNamespace } from './network-namespace.ts'
import { PluginNetwork } from './plugin-network.ts'

export interface PodNetworksDeps {
  /** The folder with the list. It is read for each pod. */
  readonly configFolder: string
  /** The folders with the plugins. */
  readonly path: readonly string[]
  /** Where attachments are recorded; those of other nodes of this machine are elsewhere. */
  readonly records: string
  /** The host whose DNS configuration plugins get. Absent: they get none. */
  readonly host?: DnsHost
  readonly log: Logger
  /** Records an event of a pod. */
  readonly record?: (event: RecordedEvent) => void
}

/** As a pod whose sandbox could not be made. */
const RETRY_MS = 12_500
const never = new AbortController().signal

/** Gives pods network namespaces and addresses of this machine by network plugins, without a container runtime. Needs root. */
export class PodNetworks implements AdmitHandler {
  readonly name = 'pod-networks'
  readonly #deps: PodNetworksDeps
  readonly #records: AttachmentRecords
  /** By the pod's UID. */
  readonly #addresses = new Map<string, readonly string[]>()

  constructor(deps: PodNetworksDeps) {
    this.#deps = deps
    this.#records = new AttachmentRecords(deps.records)
  }

  admit(): undefined {}

  release(): void {}

  async beforeSandbox(pod: Pod, signal: AbortSignal): Promise<HeldBack | undefined> {
    if (pod.spec.hostNetwork) return undefined
    const { uid } = podRef(pod)
    try {
      await this.#remove(uid)
      this.#addresses.set(uid, await this.#add(pod, signal))
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      await this.#remove(uid).catch((fault) => this.#deps.log.debug('a network waits to be taken away', { error: fault }))
      const message = `Failed to create pod sandbox: failed to setup network for sandbox "${uid}": ${messageOf(error)}`
      return { reason: 'FailedCreatePodSandBox', message, retryMs: RETRY_MS }
    }
  }

  async completeSandbox(pod: Pod, spec: SandboxSpec): Promise<SandboxSpec> {
    const addresses = this.#addresses.get(podRef(pod).uid)
    return addresses === undefined ? spec : { ...spec, addresses }
  }

  afterStop(pod: Pod): Promise<void> {
    return this.#remove(podRef(pod).uid)
  }

  /** Takes away the networks of pods that went while no agent ran, and lets the plugins free what else they kept. */
  retain(podUids: ReadonlySet<string>): void {
    void this.#collect(podUids).catch((error) => this.#deps.log.warn('networks of old pods could not be taken away', { error }))
  }

  /**
   * A network that no longer is as the plugins made it is an event, and the container starts: `portmap` up to 1.1 finds fault with each
   * network that has no IPv6.
   */
  async beforeStart(pod: Pod, _container: Container, signal: AbortSignal): Promise<void> {
    for (const { list, attachment } of await this.#recordsOf(podRef(pod).uid)) {
      if (!follows(list, '0.4.0')) continue
      try {
        await this.#network(list).check(attachment, signal)
      } catch (error) {
        if (!(error instanceof CniError)) throw error
        const message = `network is not ready: ${error.message}`
        this.#deps.record?.({ regarding: referenceTo(pod), type: 'Warning', reason: 'NetworkNotReady', message })
      }
    }
  }

  /** Takes away the networks of all pods. */
  async removeAll(): Promise<void> {
    for (const { attachment } of await this.#records.all()) await this.#remove(attachment.containerId)
  }

  async #recordsOf(podUid: string) {
    return (await this.#records.all()).filter(({ attachment }) => attachment.containerId === podUid)
  }

  #list(): Promise<NetworkList> {
    return findNetworkList(this.#deps.configFolder)
  }

  #network(list: NetworkList): PluginNetwork {
    return new PluginNetwork({ list, path: this.#deps.path, records: this.#records })
  }

  async #add(pod: Pod, signal: AbortSignal): Promise<readonly string[]> {
    const { host } = this.#deps
    const attachment = attachmentOf(pod, host && podDns(pod, host).dns)
    const network = this.#network(await this.#list())
    await makeNamespace(podRef(pod).uid)
    const { ips = [] } = await network.add(attachment, signal)
    if (ips.length === 0) throw new CniError('plugin', 'the plugins gave no address')
    return ips.map(({ address }) => address.replace(/\/\d+$/, ''))
  }

  async #remove(podUid: string): Promise<void> {
    for (const { list, attachment } of await this.#recordsOf(podUid)) await this.#network(list).remove(attachment, never)
    this.#addresses.delete(podUid)
    await removeNamespace(podUid)
  }

  async #collect(podUids: ReadonlySet<string>): Promise<void> {
    const known = await this.#records.all()
    for (const { attachment } of known) if (!podUids.has(attachment.containerId)) await this.#remove(attachment.containerId)
    const list = await this.#list()
    const valid = known.filter(({ attachment, list: { name } }) => name === list.name && podUids.has(attachment.containerId))
    await this.#network(list).collect(
      valid.map(({ attachment }) => attachment),
      never,
    )
  }
}

/** Why pods get no network now; undefined: they do. */
export async function networkFault({ configFolder, path, records }: PodNetworksDeps): Promise<string | undefined> {
  try {
    const list = await findNetworkList(configFolder)
    await new PluginNetwork({ list, path, records: new AttachmentRecords(records) }).status(never)
    return undefined
  } catch (error) {
    return `NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: ${messageOf(error)}`
  }
}

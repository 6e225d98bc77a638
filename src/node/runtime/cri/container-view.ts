import type { PodRef } from '../container-spec.ts'
import type { ContainerStatus, PodFilter, SandboxStatus } from '../runtime.ts'
import { ignoringCode, isCode } from '../runtime-error.ts'
import * as containers from './api/container.ts'
import * as sandboxes from './api/sandbox.ts'
import { RUNTIME_SERVICE as CRI } from './api/services.ts'
import type { CriClient } from './cri-client.ts'
import { containerStatus, labelsOf, newestFirst, sandboxStatus } from './from-cri.ts'
import { terminationMessage } from './termination-message.ts'

/**
 * What the runtime has. Lists have little more than states; the rest is read once for each state of a sandbox or container.
 */
export class ContainerView {
  readonly #call: CriClient
  /** `containerd` in `containerd://ID`. */
  readonly #scheme: string
  readonly #containers = new Map<string, Remembered<ContainerStatus>>()
  readonly #ips = new Map<string, Remembered<readonly string[]>>()

  /** The last lists of everything. */
  #lastSandboxes: readonly SandboxStatus[] = []
  #lastContainers: readonly ContainerStatus[] = []

  constructor(call: CriClient, scheme: string) {
    this.#call = call
    this.#scheme = scheme
  }

  /** The id as the runtime knows it. */
  rawId(id: string): string {
    return id.replace(/^[^:/]+:\/\//, '')
  }

  idOf(raw: string): string {
    return `${this.#scheme}://${raw}`
  }

  /** Its details are read again. */
  forget(raw: string): void {
    this.#containers.delete(raw)
  }

  /** While the runtime does not respond, a list of one pod is that of the last list of everything. */
  sandboxes(filter: PodFilter, signal: AbortSignal): Promise<readonly SandboxStatus[]> {
    return orLast(this.#listSandboxes(filter, signal), this.#lastSandboxes, filter)
  }

  /** As `sandboxes`. */
  containers(filter: PodFilter, signal: AbortSignal): Promise<readonly ContainerStatus[]> {
    return orLast(this.#listContainers(filter, signal), this.#lastContainers, filter)
  }

  async #listSandboxes(filter: PodFilter, signal: AbortSignal): Promise<readonly SandboxStatus[]> {
    const request = { filter: sandboxes.SandboxFilter.of({ labels: labelsOf(filter) }) }
    const { items } = await this.#call(CRI.listPodSandbox, request, { signal })
    if (filter.podUid === undefined) keepOnly(this.#ips, items)
    const statuses = items.map(async (one) => sandboxStatus(one, await this.#ipsOf(one, signal)))
    const listed = newestFirst(await Promise.all(statuses))
    if (filter.podUid === undefined) this.#lastSandboxes = listed
    return listed
  }

  async #listContainers(filter: PodFilter, signal: AbortSignal): Promise<readonly ContainerStatus[]> {
    const request = { filter: containers.ContainerFilter.of({ labels: labelsOf(filter) }) }
    const { containers: items } = await this.#call(CRI.listContainers, request, { signal })
    if (filter.podUid === undefined) keepOnly(this.#containers, items)
    const statuses = await Promise.all(items.map((one) => this.#reportOf(one, signal)))
    const listed = newestFirst(statuses.filter((s) => s !== undefined))
    if (filter.podUid === undefined) this.#lastContainers = listed
    return listed
  }

  async #ipsOf(sandbox: sandboxes.ListedSandbox, signal: AbortSignal): Promise<readonly string[]> {
    const known = this.#ips.get(sandbox.id)
    if (known?.state === sandbox.state) return known.value
    const ips = await this.#askIps(sandbox.id, signal)
    this.#ips.set(sandbox.id, { state: sandbox.state, value: ips })
    return ips
  }

  async #askIps(id: string, signal: AbortSignal): Promise<readonly string[]> {
    const answer = await this.#call(CRI.podSandboxStatus, { id, verbose: false }, { signal }).catch(ignoringCode('not-found'))
    const { ip = '', additionalIps = [] } = answer?.status?.network ?? {}
    return [ip, ...additionalIps.map((other) => other.ip)].filter((address) => address !== '')
  }

  /** Undefined: it has gone since it was listed. */
  async #reportOf(listed: containers.ListedContainer, signal: AbortSignal): Promise<ContainerStatus | undefined> {
    const known = this.#containers.get(listed.id)
    if (known?.state === listed.state) return known.value
    const status = await this.statusOf(listed.id, signal)
    if (status === undefined) return undefined
    const ended = containers.CONTAINER_STATES[status.state] === 'exited'
    const lastWords = ended ? await terminationMessage(status) : undefined
    const value = containerStatus({ listed, status, lastWords, id: this.idOf(listed.id) })
    this.#containers.set(listed.id, { state: status.state, value })
    return value
  }

  /** What the runtime says of a container now; undefined: it does not exist. */
  async statusOf(raw: string, signal: AbortSignal): Promise<containers.StatusMessage | undefined> {
    const answer = await this.#call(CRI.containerStatus, { id: raw, verbose: false }, { signal }).catch(ignoringCode('not-found'))
    return answer?.status
  }
}

async function orLast<T extends { readonly pod: PodRef }>(
  listing: Promise<readonly T[]>,
  last: readonly T[],
  { podUid }: PodFilter,
): Promise<readonly T[]> {
  try {
    return await listing
  } catch (error) {
    if (podUid === undefined || !isCode(error, 'unavailable')) throw error
    return last.filter((one) => one.pod.uid === podUid)
  }
}

interface Remembered<T> {
  /** The number of the state in which it was read. */
  readonly state: number
  readonly value: T
}

function keepOnly(known: Map<string, unknown>, items: readonly { readonly id: string }[]): void {
  if (known.size <= items.length) return
  const ids = new Set(items.map((item) => item.id))
  for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
}

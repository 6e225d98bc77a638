import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { PODS } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Pod } from '../types/pod.ts'
import { CONFIG_HASH, CONFIG_MIRROR } from './annotations.ts'
import { fullNameOf } from './static-pods.ts'

/** Whether it is a mirror pod. */
export const isMirrorPod = (pod: KubeObject): boolean => pod.metadata.annotations?.[CONFIG_MIRROR] !== undefined

/** The UID under which the node runs the pod: for a mirror pod, that of its static pod. */
export const uidOnNode = (pod: KubeObject): string => pod.metadata.annotations?.[CONFIG_MIRROR] ?? pod.metadata.uid ?? ''

/** The pod under the UID by which its node knows it. */
export const asOnNode = (pod: Pod): Pod => (isMirrorPod(pod) ? { ...pod, metadata: { ...pod.metadata, uid: uidOnNode(pod) } } : pod)

/** Whether it is the mirror pod of this static pod. */
export const mirrors = (mirror: KubeObject, pod: Pod): boolean =>
  mirror.metadata.annotations?.[CONFIG_MIRROR] === pod.metadata.annotations?.[CONFIG_HASH]

/** The mirror pods of one node in the API. */
export class MirrorPods {
  readonly #deps: { readonly client: Client; readonly log: Logger; readonly node: () => Node | undefined }
  readonly #standing = new Map<string, KubeObject>()
  readonly #faults = new Map<string, string>()

  constructor(deps: { readonly client: Client; readonly log: Logger; readonly node: () => Node | undefined }) {
    this.#deps = deps
  }

  /** Handles a new version of a mirror pod. */
  observe(mirror: KubeObject): void {
    this.#standing.set(fullNameOf(mirror), mirror)
  }

  /** Handles a deleted mirror pod. */
  gone(mirror: KubeObject): void {
    const name = fullNameOf(mirror)
    if (this.#standing.get(name)?.metadata.uid === mirror.metadata.uid) this.#standing.delete(name)
  }

  standing(name: string): KubeObject | undefined {
    return this.#standing.get(name)
  }

  all(): readonly KubeObject[] {
    return [...this.#standing.values()]
  }

  /** The mirror pod of a static pod; created, or replaced if it is outdated or being deleted; undefined if that is not possible now. */
  async ensure(pod: Pod): Promise<KubeObject | undefined> {
    const name = fullNameOf(pod)
    const standing = this.#standing.get(name)
    if (standing !== undefined) {
      if (standing.metadata.deletionTimestamp === undefined && mirrors(standing, pod)) return standing
      await this.remove(standing)
    }
    const node = this.#deps.node()
    if (node === undefined || node.metadata.deletionTimestamp !== undefined) return undefined
    try {
      const made = await this.#deps.client.create({ ...PODS, namespace: pod.metadata.namespace ?? '' }, mirrorOf(pod, node))
      this.#standing.set(name, made)
      this.#faults.delete(name)
      return made
    } catch (error) {
      const message = messageOf(error)
      if (this.#faults.get(name) !== message) this.#deps.log.warn('a static pod could not be mirrored, trying again', { pod: name, error })
      this.#faults.set(name, message)
      return undefined
    }
  }

  /** Deletes a mirror pod; resolves when it is gone. */
  async remove(mirror: KubeObject): Promise<void> {
    const { namespace = '', name = '', uid } = mirror.metadata
    try {
      const options = { gracePeriodSeconds: 0, ...(uid !== undefined && { preconditions: { uid } }) }
      await this.#deps.client.delete({ ...PODS, namespace, name }, options)
    } catch (error) {
      if (!isStatus(error, 'NotFound', 'Conflict')) throw error
    }
    this.gone(mirror)
  }
}

/** The mirror pod for a static pod. */
function mirrorOf(pod: Pod, node: Node): KubeObject {
  const { name = '', namespace = '', labels, annotations = {} } = pod.metadata
  const owner = { apiVersion: 'v1', kind: 'Node', name: node.metadata.name ?? '', uid: node.metadata.uid ?? '', controller: true }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      ...(labels && { labels }),
      annotations: { ...annotations, [CONFIG_MIRROR]: annotations[CONFIG_HASH] ?? '' },
      ownerReferences: [owner],
    },
    spec: structuredClone(pod.spec),
  }
}

import type { Clock } from '../../base/clock.ts'
import type { ResourceRef } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { readObject } from '../../resources/read-objects.ts'
import { NODES, PODS } from '../../resources/refs.ts'
import type { Pod } from '../types/pod.ts'
import type { ObjectSource } from './object-source.ts'
import { type IssueToken, ServiceAccountTokens } from './service-account-tokens.ts'
import { type Payload, payloadOf, referencesOf, type VolumeOwner } from './volume-payload.ts'
import type { TokenSource, VolumeSource } from './volume-types.ts'

export interface VolumeContentDeps {
  readonly source: ObjectSource
  readonly clock: Clock
  readonly issueToken: IssueToken
  readonly hostIp: string
  readonly podIps: readonly string[]
  readonly nodeName: string
}

/** The content of one pod's volumes that comes from the API. */
export class VolumeContent {
  readonly #deps: VolumeContentDeps
  readonly #tokens: ServiceAccountTokens
  #pod: Pod

  constructor(pod: Pod, deps: VolumeContentDeps) {
    this.#pod = pod
    this.#deps = deps
    this.#tokens = new ServiceAccountTokens(deps.issueToken, deps.clock)
  }

  get pod(): Pod {
    return this.#pod
  }

  /** Whose the files are. */
  get owner(): VolumeOwner {
    const { spec } = this.#pod
    const gid = spec.securityContext?.fsGroup
    const users = new Set(spec.containers.map((c) => c.securityContext?.runAsUser ?? spec.securityContext?.runAsUser))
    const [uid] = users
    return { ...(users.size === 1 && uid !== undefined && { uid }), ...(gid !== undefined && { gid }) }
  }

  /** The files of a volume; undefined: its content is its own. Throws `VolumeError`. */
  async payload(volume: VolumeSource): Promise<Payload | undefined> {
    await this.#tokens.renew(tokensOf(volume))
    const { source, hostIp, podIps, nodeName } = this.#deps
    const { namespace = '' } = this.#pod.metadata
    const objects = await source.read([{ ...NODES, name: nodeName }, ...referencesOf(volume, namespace)])
    return payloadOf(volume, {
      pod: this.#pod,
      namespace,
      objects,
      hostIp,
      podIps,
      allocatable: readObject(objects, NODES, '', nodeName)?.status?.allocatable ?? {},
      owner: this.owner,
      token: (token) => this.#tokens.of(token),
    })
  }

  /** The pod as the API has it now, if it is the same. Never rejects. */
  async refreshPod(): Promise<void> {
    const { name = '', namespace = '', uid } = this.#pod.metadata
    const latest = await this.object(PODS, namespace, name).catch(() => undefined)
    if (latest !== undefined && latest.metadata.uid === uid) this.#pod = latest as Pod
  }

  async object<T extends KubeObject>(ref: ResourceRef<T>, namespace: string, name: string): Promise<Readonly<T> | undefined> {
    return readObject(await this.#deps.source.read([{ ...ref, namespace, name }]), ref, namespace, name)
  }
}

/** Whether its content comes from the API. */
export const isContent = ({ configMap, secret, downwardAPI, projected }: VolumeSource): boolean =>
  configMap !== undefined || secret !== undefined || downwardAPI !== undefined || projected !== undefined

const tokensOf = ({ projected }: VolumeSource): readonly TokenSource[] =>
  (projected?.sources ?? []).flatMap((s) => (s.serviceAccountToken === undefined ? [] : [s.serviceAccountToken]))

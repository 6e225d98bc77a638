import { createHash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { replaceFile } from '../../base/replace-file.ts'
import { Slots } from '../../base/slots.ts'

/** The pull secret of a login. */
export interface SecretSource {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  /** Of what the login says. */
  readonly credentialHash: string
}

/** Who may use an image that was pulled under this name. */
interface Access {
  /** All pods: it was pulled without a login, or with one of the node's. */
  readonly nodePodsAccessible?: boolean
  readonly kubernetesSecrets?: readonly SecretSource[]
  readonly serviceAccounts?: readonly AccountSource[]
}

/** The service account for which a credential provider gave a login. */
export interface AccountSource {
  readonly uid: string
  readonly namespace: string
  readonly name: string
}

export type PullSource = { readonly secret: SecretSource } | { readonly account: AccountSource } | undefined

/** `ImagePulledRecord` of `kubelet.config.k8s.io/v1beta1`. */
interface PulledRecord {
  readonly kind: 'ImagePulledRecord'
  readonly apiVersion: 'kubelet.config.k8s.io/v1beta1'
  readonly lastUpdatedTime: string
  readonly imageRef: string
  /** By the image's name without its tag. */
  readonly credentialMapping: Readonly<Record<string, Access>>
}

/** Who pulled which image, in files of the kubelet's (`image_manager`). Pods may pull the same image at the same time. */
export class PullRecords {
  readonly #folder: string
  /** Files are read and written by one call after the other. */
  readonly #turns = new Slots(() => 1)
  /** How many pulls of an image have begun. */
  readonly #begun = new Map<string, number>()

  constructor(root: string) {
    this.#folder = path.join(root, 'image_manager')
  }

  /** A pull begins: if the node stops before its end, the image counts as pulled. */
  intend(image: string): Promise<void> {
    return this.#turns.run(async () => {
      this.#begun.set(image, (this.#begun.get(image) ?? 0) + 1)
      const intent = { kind: 'ImagePullIntent', apiVersion: 'kubelet.config.k8s.io/v1beta1', image }
      await this.#write(path.join('pulling', nameOf(image)), intent)
    })
  }

  failed(image: string): Promise<void> {
    return this.#turns.run(() => this.#end(image))
  }

  pulled(repository: string, pull: PulledImage): Promise<void> {
    return this.#turns.run(async () => {
      await this.#add(repository, pull)
      await this.#end(pull.image)
    })
  }

  async read(imageRef: string): Promise<PulledRecord | undefined> {
    try {
      return JSON.parse(await readFile(path.join(this.#folder, 'pulled', nameOf(imageRef)), 'utf8'))
    } catch {
      return undefined
    }
  }

  remove(imageRef: string): Promise<void> {
    return this.#turns.run(() => rm(path.join(this.#folder, 'pulled', nameOf(imageRef)), { force: true }))
  }

  async #add(repository: string, { imageRef, source, nowMs }: PulledImage): Promise<void> {
    const before = await this.read(imageRef)
    const access = withSource(before?.credentialMapping[repository], source)
    const record: PulledRecord = {
      kind: 'ImagePulledRecord',
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      lastUpdatedTime: new Date(nowMs).toISOString(),
      imageRef,
      credentialMapping: { ...before?.credentialMapping, [repository]: access },
    }
    await this.#write(path.join('pulled', nameOf(imageRef)), record)
  }

  /** The last pull of an image removes the intent. */
  async #end(image: string): Promise<void> {
    const others = (this.#begun.get(image) ?? 1) - 1
    if (others > 0) this.#begun.set(image, others)
    else this.#begun.delete(image)
    if (others <= 0) await rm(path.join(this.#folder, 'pulling', nameOf(image)), { force: true })
  }

  async #write(name: string, content: object): Promise<void> {
    const file = path.join(this.#folder, name)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o755 })
    replaceFile(file, JSON.stringify(content))
  }
}

export interface PulledImage {
  readonly image: string
  readonly imageRef: string
  readonly source: PullSource
  readonly nowMs: number
}

const nameOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('hex')}`

function withSource(before: Access | undefined, source: PullSource): Access {
  if (before?.nodePodsAccessible || source === undefined) return { nodePodsAccessible: true }
  const others = <T extends AccountSource>(list: readonly T[] = [], own: AccountSource) => list.filter((one) => !sameObject(one, own))
  if ('secret' in source) return { ...before, kubernetesSecrets: [...others(before?.kubernetesSecrets, source.secret), source.secret] }
  return { ...before, serviceAccounts: [...others(before?.serviceAccounts, source.account), source.account] }
}

const sameObject = (a: AccountSource, b: AccountSource) => a.uid === b.uid && a.namespace === b.namespace && a.name === b.name

/** Whether one of these logins is among those with which the image was pulled under that name. Pure. */
export function isRecorded(record: PulledRecord, repository: string, sources: readonly PullSource[]): boolean {
  const access = record.credentialMapping[repository]
  if (access === undefined) return false
  if (access.nodePodsAccessible) return true
  return sources.some((source) => {
    if (source === undefined) return false
    if ('account' in source) return access.serviceAccounts?.some((known) => sameObject(known, source.account)) === true
    return (
      access.kubernetesSecrets?.some(
        (known) => known.credentialHash === source.secret.credentialHash || sameObject(known, source.secret),
      ) === true
    )
  })
}

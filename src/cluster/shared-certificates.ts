import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../base/clock.ts'
import { makeFolder } from '../base/make-folder.ts'
import { replaceFile } from '../base/replace-file.ts'
import { CertificatesError, FRONT_PROXY_NAME } from './certificates.ts'
import {
  altNames,
  type CertifiedKey,
  type LeafRequest,
  makeAuthority,
  makeLeaf,
  sameSubject,
  servingNames,
  stillGood,
} from './issued-certificates.ts'
import { kubeconfigText, writeKubeconfig } from './kubeconfig.ts'
import { type SigningKeyStep, stepSigningKeys } from './signing-keys.ts'
import { ADMIN, CONTROLLER_MANAGER, SCHEDULER } from './users.ts'

export interface SharedCertificatesConfig {
  readonly folder: string
  /** The address of the balancer, for kubeconfigs: `https://api.example.com:6443`. */
  readonly server: string
  /** Names and addresses of the API servers and of their balancer. */
  readonly hosts: readonly string[]
  /** Names and addresses of etcd's members. */
  readonly etcdHosts: readonly string[]
  readonly serviceCidr: string
  /** Certificates are made anew although they are still valid; authorities and the signing key stay. */
  readonly renew: boolean
  readonly signingKey: SigningKeyStep
}

/**
 * Writes all keys and certificates of several API servers on one etcd, under kubeadm's file names. What is there and still valid stays;
 * authorities always stay. Resolves with the files that were written, relative to the folder.
 * @throws {CertificatesError} for a file that cannot be used
 */
export function writeSharedCertificates(config: SharedCertificatesConfig, { clock }: { readonly clock: Clock }): readonly string[] {
  const folder = new CertificateFolder(config, clock.now())
  const ca = folder.authority('ca', 'bowsprit-ca')
  const frontProxyCa = folder.authority('front-proxy-ca', 'bowsprit-front-proxy-ca')
  const etcdCa = folder.authority('etcd/ca', 'bowsprit-etcd-ca')
  const etcdNames = ['localhost', '127.0.0.1', '::1', ...config.etcdHosts]
  folder.leaf('apiserver', ca, server('kube-apiserver', servingNames(config)))
  folder.leaf('front-proxy-client', frontProxyCa, client(FRONT_PROXY_NAME))
  folder.leaf('apiserver-etcd-client', etcdCa, client('kube-apiserver-etcd-client'))
  // A member's gateway and its peers are clients of it as well.
  folder.leaf('etcd/server', etcdCa, { ...server('etcd', etcdNames), usages: ['server', 'client'] })
  folder.leaf('etcd/peer', etcdCa, { ...server('etcd-peer', etcdNames), usages: ['server', 'client'] })
  for (const [name, { name: commonName, groups }] of Object.entries(KUBECONFIGS)) {
    const organizations = groups.filter((group) => group !== 'system:authenticated')
    folder.kubeconfig(name, ca, { subject: { commonName, organizations }, usages: ['client'] })
  }
  folder.signingKey(config.signingKey)
  return folder.written
}

const KUBECONFIGS = { admin: ADMIN, 'controller-manager': CONTROLLER_MANAGER, scheduler: SCHEDULER }

const client = (commonName: string): LeafRequest => ({ subject: { commonName, organizations: [] }, usages: ['client'] })
const server = (commonName: string, names: readonly string[]): LeafRequest => ({
  subject: { commonName, organizations: [] },
  usages: ['server'],
  ...altNames(names),
})

class CertificateFolder {
  readonly written: string[] = []
  readonly #config: SharedCertificatesConfig
  readonly #now: number

  constructor(config: SharedCertificatesConfig, now: number) {
    this.#config = config
    this.#now = now
  }

  authority(name: string, commonName: string): CertifiedKey {
    return this.#pair(name) ?? this.#writePair(name, makeAuthority(commonName, this.#now))
  }

  leaf(name: string, issuer: CertifiedKey, request: LeafRequest): CertifiedKey {
    const found = this.#pair(name)
    return found !== undefined && this.#stays(found.certificate, request)
      ? found
      : this.#writePair(name, makeLeaf(issuer, this.#now, request))
  }

  kubeconfig(name: string, issuer: CertifiedKey, request: LeafRequest): void {
    const { certificate, key } = this.leaf(`users/${name}`, issuer, request)
    const text = kubeconfigText({ context: 'bowsprit', server: this.#config.server, ca: issuer.certificate, certificate, key })
    const file = `${name}.conf`
    if (this.#read(file) === text) return
    writeKubeconfig(this.#at(file), text)
    this.written.push(file)
  }

  signingKey(step: SigningKeyStep): void {
    const [present, next] = [this.#read('sa.key'), this.#read('sa-next.key')]
    const keys = stepSigningKeys({ ...(present && { present }), next, known: publicKeys(this.#read('sa.pub') ?? '') }, step)
    // Known first: a crash in between leaves no key that signs and is not known.
    this.#update('sa.pub', keys.known.join(''))
    this.#update('sa.key', keys.present)
    if (keys.next !== undefined) this.#update('sa-next.key', keys.next)
    else rmSync(this.#at('sa-next.key'), { force: true })
  }

  #stays(certificate: string, { subject, dnsNames = [], ipAddresses = [] }: LeafRequest): boolean {
    if (this.#config.renew) return false
    return stillGood(certificate, this.#now, [...dnsNames, ...ipAddresses]) && sameSubject(certificate, subject)
  }

  #pair(name: string): CertifiedKey | undefined {
    const [certificate, key] = [this.#read(`${name}.crt`), this.#read(`${name}.key`)]
    if (certificate === undefined && key === undefined) return undefined
    if (certificate !== undefined && key !== undefined && belongTogether(certificate, key)) return { certificate, key }
    const at = this.#at(name)
    throw new CertificatesError(`${at}.crt and ${at}.key do not belong together: put them back, or remove both to have new ones made`)
  }

  #writePair(name: string, pair: CertifiedKey): CertifiedKey {
    this.#update(`${name}.crt`, pair.certificate)
    this.#update(`${name}.key`, pair.key)
    return pair
  }

  #read(file: string): string | undefined {
    const at = this.#at(file)
    return existsSync(at) ? readFileSync(at, 'utf8') : undefined
  }

  #update(file: string, text: string): void {
    if (this.#read(file) === text) return
    makeFolder(path.dirname(this.#at(file)), 0o700)
    replaceFile(this.#at(file), text)
    this.written.push(file)
  }

  #at(file: string): string {
    return path.join(this.#config.folder, file)
  }
}

const publicKeys = (text: string): string[] => text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----\n/g) ?? []

function belongTogether(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

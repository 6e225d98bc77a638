import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../base/clock.ts'
import { makeFolder } from '../base/make-folder.ts'
import { messageOf } from '../base/message-of.ts'
import { replaceFile } from '../base/replace-file.ts'
import { newKeyPair } from '../machinery/x509/certificate.ts'
import type { Subject } from '../machinery/x509/names.ts'
import {
  altNames,
  type CertifiedKey,
  makeAuthority,
  makeLeaf,
  privatePem,
  publicPem,
  sameSubject,
  servingNames,
  stillGood,
} from './issued-certificates.ts'

/** The one front proxy that is trusted; `extension-apiserver-authentication` announces the name. */
export const FRONT_PROXY_NAME = 'front-proxy-client'

/** All keys and certificates of a cluster. */
export interface ClusterCertificates {
  /** Signs serving and client certificates; what a kubeconfig trusts. */
  readonly ca: CertifiedKey
  /** Signs the client certificate with which the server authenticates to aggregated servers as a front proxy. */
  readonly frontProxyCa: CertifiedKey
  /** The API server's serving certificate. */
  readonly serving: CertifiedKey
  /** Signs service account tokens; the public keys verify them, the newest first (older ones are kept when the key is renewed). */
  readonly serviceAccount: { readonly privateKey: string; readonly publicKeys: readonly string[] }
  /** A client certificate of this user, signed by `ca`: from the folder if it is valid for long enough, else new. */
  client(subject: Subject): CertifiedKey
  /** A serving certificate for kubelets that listen on this machine, signed by `ca`: a new one at each call. */
  kubelet(): CertifiedKey
  /** A client certificate of the front proxy, signed by `frontProxyCa`. */
  frontProxyClient(): CertifiedKey
}

export interface CertificatesConfig {
  /** The folder in which they are stored; undefined: in memory. */
  readonly folder: string | undefined
  /** `10.0.0.0/24`: its first address is that of the service `kubernetes`. */
  readonly serviceCidr: string
  /** Names and addresses in the serving certificate in addition to the default ones. */
  readonly hosts?: readonly string[]
  /** The keys of a saved cluster, used if the folder has none, in place of new ones. */
  readonly keys?: ClusterKeys
}

/** The secrets from which a cluster's certificates can be restored, in PEM. */
export interface ClusterKeys {
  readonly ca: CertifiedKey
  readonly frontProxyCa: CertifiedKey
  readonly serving: CertifiedKey
  readonly serviceAccountKey: string
  /** Public keys of service accounts' earlier keys. */
  readonly retiredKeys: readonly string[]
}

/** The keys from which `openCertificates` restores the same certificates. */
export function keysOf({ ca, frontProxyCa, serving, serviceAccount }: ClusterCertificates): ClusterKeys {
  return { ca, frontProxyCa, serving, serviceAccountKey: serviceAccount.privateKey, retiredKeys: serviceAccount.publicKeys.slice(1) }
}

/** Why the keys are not available; the message has the file and what to do. */
export class CertificatesError extends Error {
  override readonly name = 'CertificatesError'
  readonly code = 'unreadable'
}

/**
 * Opens the folder of keys, or creates it: all new files appear in one step (a folder is renamed), with mode 600. A second start only reads
 * files. A first start takes a few milliseconds (ECDSA P-256).
 */
export function openCertificates(config: CertificatesConfig, deps: { readonly clock: Clock }): ClusterCertificates {
  const now = deps.clock.now()
  const folder = config.folder
  const stored = folder === undefined ? undefined : readSet(folder)
  const made = stored ?? config.keys ?? makeSet(config, now)
  if (stored === undefined && folder !== undefined) writeSet(folder, made)
  let { serving } = made
  if (!stillGood(serving.certificate, now, servingNames(config))) {
    serving = makeServing(made.ca, config, now)
    if (folder !== undefined) replaceFile(path.join(folder, FILES.serving), join(serving))
  }
  const client = (issuer: CertifiedKey, file: string, subject: Subject): CertifiedKey => {
    const at = folder === undefined ? undefined : path.join(folder, file)
    if (at !== undefined && existsSync(at)) {
      const found = split(at)
      if (stillGood(found.certificate, now, []) && sameSubject(found.certificate, subject)) return found
    }
    const fresh = makeClient(issuer, subject, now)
    if (at !== undefined) replaceFile(at, join(fresh))
    return fresh
  }
  return {
    ca: made.ca,
    frontProxyCa: made.frontProxyCa,
    serving,
    serviceAccount: { privateKey: made.serviceAccountKey, publicKeys: [publicPem(made.serviceAccountKey), ...made.retiredKeys] },
    client: (subject) => client(made.ca, `client-${encodeURIComponent(subject.commonName)}.pem`, subject),
    kubelet: () =>
      makeLeaf(made.ca, now, {
        subject: { commonName: 'system:node:simulated', organizations: ['system:nodes'] },
        usages: ['server'],
        dnsNames: ['localhost'],
        ipAddresses: ['127.0.0.1', '::1'],
      }),
    frontProxyClient: () => client(made.frontProxyCa, 'front-proxy-client.pem', { commonName: FRONT_PROXY_NAME, organizations: [] }),
  }
}

const FILES = {
  ca: 'ca.pem',
  frontProxyCa: 'front-proxy-ca.pem',
  serving: 'serving.pem',
  serviceAccount: 'service-account.pem',
  caAlone: 'ca.crt',
} as const

function makeSet(config: CertificatesConfig, now: number): ClusterKeys {
  const ca = makeAuthority('bowsprit-ca', now)
  return {
    ca,
    frontProxyCa: makeAuthority('bowsprit-front-proxy-ca', now),
    serving: makeServing(ca, config, now),
    serviceAccountKey: privatePem(newKeyPair().privateKey),
    retiredKeys: [],
  }
}

function makeServing(ca: CertifiedKey, config: CertificatesConfig, now: number): CertifiedKey {
  const names = servingNames(config)
  return makeLeaf(ca, now, {
    subject: { commonName: 'kube-apiserver', organizations: [] },
    usages: ['server'],
    ...altNames(names),
  })
}

const makeClient = (ca: CertifiedKey, subject: Subject, now: number) => makeLeaf(ca, now, { subject, usages: ['client'] })

const join = (pair: CertifiedKey) => pair.certificate + pair.key

function readSet(folder: string): ClusterKeys | undefined {
  if (!existsSync(path.join(folder, FILES.ca))) return undefined
  const [serviceAccountKey = '', ...retiredKeys] = blocks(path.join(folder, FILES.serviceAccount))
  const at = (name: string) => split(path.join(folder, name))
  return { ca: at(FILES.ca), frontProxyCa: at(FILES.frontProxyCa), serving: at(FILES.serving), serviceAccountKey, retiredKeys }
}

function split(file: string): CertifiedKey {
  const [certificate, key] = blocks(file)
  if (certificate === undefined || key === undefined) throw damaged(file)
  try {
    new X509Certificate(certificate)
  } catch (cause) {
    throw damaged(file, cause)
  }
  return { certificate, key }
}

function blocks(file: string): string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CertificatesError(
      `the keys in ${file} cannot be read (${messageOf(cause)}); repair the file, or remove its folder to have new keys made`,
      { cause },
    )
  }
  const found = text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----\n?/g)
  if (found === null) throw damaged(file)
  return found
}

const damaged = (file: string, cause?: unknown) =>
  new CertificatesError(`${file} is damaged; put it back, or remove its folder to have new keys made (kubeconfigs in use then end)`, {
    cause,
  })

/** The folder appears in one step: a crash leaves nothing, or all. */
function writeSet(folder: string, made: ClusterKeys): void {
  const draft = `${folder}.${process.pid}.tmp`
  rmSync(draft, { recursive: true, force: true })
  makeFolder(draft, 0o700)
  const write = (name: string, text: string) => writeFileSync(path.join(draft, name), text, { mode: 0o600 })
  write(FILES.ca, join(made.ca))
  write(FILES.frontProxyCa, join(made.frontProxyCa))
  write(FILES.serving, join(made.serving))
  write(FILES.serviceAccount, [made.serviceAccountKey, ...made.retiredKeys].join(''))
  write(FILES.caAlone, made.ca.certificate)
  if (existsSync(folder)) makeRoom(folder)
  renameSync(draft, folder)
}

/** Removes the folder if it is empty; other content is not ours to delete. */
function makeRoom(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (cause) {
    throw new CertificatesError(`${folder} holds files but no ${FILES.ca}; put it back, or remove the folder to have new keys made`, {
      cause,
    })
  }
}

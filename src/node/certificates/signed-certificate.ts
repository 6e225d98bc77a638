import { X509Certificate } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { pause } from '../../base/pause.ts'
import { newKeyPair } from '../../machinery/x509/certificate.ts'
import { createCertificateRequest, type WantedCertificate } from '../../machinery/x509/create-certificate-request.ts'
import { CERTIFICATE_SIGNING_REQUESTS } from '../../resources/refs.ts'
import type { CertificateSigningRequest } from '../../resources/types/certificates.ts'
import type { Client } from '../../sdk/client/client.ts'

/** Signs certificates of nodes' servers. */
export const SERVING_SIGNER = 'kubernetes.io/kubelet-serving'

/** A certificate and its key, PEM. */
export interface KeyedCertificate {
  readonly cert: string
  readonly key: string
}

/** Which certificate of a node, and who signs it. */
export interface CertificateWish extends WantedCertificate {
  readonly signerName: string
  readonly usages: readonly string[]
}

const asNode = (name: string) => ({ commonName: `system:node:${name}`, organizations: ['system:nodes'] })

/** For the node as a client of the API server. */
export const clientWish = (nodeName: string): CertificateWish => ({
  subject: asNode(nodeName),
  signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
  usages: ['digital signature', 'client auth'],
})

/** For the node's own server. */
export const servingWish = (nodeName: string, ipAddresses: readonly string[]): CertificateWish => ({
  subject: asNode(nodeName),
  dnsNames: [nodeName],
  ipAddresses,
  signerName: SERVING_SIGNER,
  usages: ['digital signature', 'server auth'],
})

/** Why a certificate was not signed. */
export class CertificateDeniedError extends Error {
  override readonly name = 'CertificateDeniedError'
  readonly code = 'denied'
}

/** Kubelet's values: how long it waits for a signature, and how often we look. */
const WAIT_MS = 15 * 60_000
const LOOK_MS = 1000

/**
 * Asks the cluster for a certificate with a new key, and waits until it is approved and signed.
 * @throws {CertificateDeniedError} when it is not
 */
export async function requestCertificate(
  wish: CertificateWish,
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  signal: AbortSignal,
): Promise<KeyedCertificate> {
  const keys = newKeyPair()
  const request = Buffer.from(createCertificateRequest(wish, keys)).toString('base64')
  const made = await client.create(CERTIFICATE_SIGNING_REQUESTS, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { generateName: 'csr-' },
    spec: { request, signerName: wish.signerName, usages: [...wish.usages] },
  })
  const { name = '' } = made.metadata
  for (const untilMs = clock.now() + WAIT_MS; clock.now() < untilMs && !signal.aborted; ) {
    const { status } = await client.get<CertificateSigningRequest>({ ...CERTIFICATE_SIGNING_REQUESTS, name })
    const refused = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed')
    if (refused !== undefined)
      throw new CertificateDeniedError(
        `certificate signing request ${name}: ${refused.type} (${refused.reason ?? ''}): ${refused.message ?? ''}`,
      )
    if (status?.certificate !== undefined) {
      const key = keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString()
      return { cert: Buffer.from(status.certificate, 'base64').toString(), key }
    }
    await pause(clock, LOOK_MS, signal)
  }
  signal.throwIfAborted()
  throw new CertificateDeniedError(
    `certificate signing request ${name} was not signed within 15 minutes: kubectl certificate approve ${name}`,
  )
}

/** From when to when a certificate is valid, in milliseconds since the Unix epoch. */
export function lifetimeOf({ cert }: KeyedCertificate): { readonly fromMs: number; readonly untilMs: number } {
  const { validFromDate, validToDate } = new X509Certificate(cert)
  return { fromMs: validFromDate.getTime(), untilMs: validToDate.getTime() }
}

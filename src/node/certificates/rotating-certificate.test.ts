import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { exposition } from '../../base/exposition.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import { issueCertificate, newKeyPair } from '../../machinery/x509/certificate.ts'
import { readCertificateRequest } from '../../machinery/x509/certificate-request.ts'
import type { CertificateSigningRequest } from '../../resources/types/certificates.ts'
import type { Client } from '../../sdk/client/client.ts'
import { CertificateStore } from './certificate-store.ts'
import { RotatingCertificate } from './rotating-certificate.ts'
import { type KeyedCertificate, servingWish } from './signed-certificate.ts'

const HOUR = 3_600_000

/** A cluster that signs certificates for ten hours, unless it denies. */
function stage(clock: VirtualClock) {
  const authority = { key: newKeyPair().privateKey, subject: { commonName: 'ca', organizations: [] } }
  const state = { denies: false, requests: [] as CertificateSigningRequest[] }
  const sign = (spec: CertificateSigningRequest['spec']): CertificateSigningRequest['status'] => {
    const request = readCertificateRequest(Buffer.from(spec.request, 'base64').toString())
    assert.ok(request?.signed)
    if (state.denies) return { conditions: [{ type: 'Denied', status: 'True', reason: 'No', message: 'not now' }] }
    const span = { notBefore: clock.now(), notAfter: clock.now() + 10 * HOUR }
    return { certificate: Buffer.from(issueCertificate({ ...request, ...span, usages: ['server'] }, authority)).toString('base64') }
  }
  const client = {
    async create(_: unknown, csr: CertificateSigningRequest) {
      const made = { ...csr, metadata: { name: `csr-${state.requests.length}` }, status: sign(csr.spec) ?? {} }
      state.requests.push(made)
      return made
    },
    get: async ({ name }: { readonly name: string }) => state.requests.find(({ metadata }) => metadata.name === name),
  }
  return { state, client: client as unknown as Client }
}

test('a certificate is asked for, kept, and replaced before it ends; a refusal is tried again', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-pki-'))
  try {
    const clock = new VirtualClock()
    const { state, client } = stage(clock)
    const seen: KeyedCertificate[] = []
    const open = () => {
      const store = new CertificateStore(folder, 'kubelet-server')
      const changed = (certificate: KeyedCertificate) => void seen.push(certificate)
      const deps = { client, clock, random: seededRandom(1), log: silentLogger, changed }
      return new RotatingCertificate({ wish: servingWish('worker-1', ['192.0.2.7']), store }, deps)
    }
    const certificate = open()
    assert.equal(certificate.current, undefined)
    const stop = new AbortController()
    const running = certificate.run(stop.signal)
    await clock.advance(5000)
    assert.equal(seen.length, 1)
    const metrics = () => exposition(certificate.families()).split('\n')
    assert.match(metrics().join('\n'), /^kubelet_certificate_manager_server_ttl_seconds 3599\d$/m)
    assert.ok(metrics().includes('kubelet_server_expiration_renew_errors 0'))
    await clock.advance(6 * HOUR)
    assert.equal(seen.length, 1, 'seven tenths of its life are not over')
    state.denies = true
    await clock.advance(3.5 * HOUR)
    assert.equal(seen.length, 1)
    assert.ok(state.requests.length > 10, 'it goes on asking')
    assert.match(metrics().join('\n'), /^kubelet_server_expiration_renew_errors [1-9]\d$/m)
    assert.deepEqual(open().current, seen[0], 'an agent that starts later uses it')
    state.denies = false
    await clock.advance(130_000)
    assert.equal(seen.length, 2)
    assert.deepEqual(certificate.current, seen[1])
    stop.abort()
    await running
    await clock.advance(11 * HOUR)
    assert.equal(open().current, undefined, 'one that has ended is not used')
    assert.ok(readdirSync(folder).includes('kubelet-server-current.pem'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

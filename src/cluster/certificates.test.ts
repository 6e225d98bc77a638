import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { subjectOf } from '../machinery/x509/certificate.ts'
import { CertificatesError, openCertificates } from './certificates.ts'

const clock = new VirtualClock()
const config = { folder: undefined, serviceCidr: '10.0.0.0/24' }

test('the serving certificate holds under every name of the server, and the CA signed it', () => {
  const keys = openCertificates(config, { clock })
  const serving = new X509Certificate(keys.serving.certificate)
  const ca = new X509Certificate(keys.ca.certificate)
  assert.ok(ca.ca && ca.verify(ca.publicKey) && serving.verify(ca.publicKey) && serving.checkIssued(ca))
  assert.ok(serving.checkPrivateKey(createPrivateKey(keys.serving.key)))
  for (const name of ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'])
    assert.equal(serving.checkHost(name), name)
  for (const address of ['127.0.0.1', '::1', '10.0.0.1']) assert.equal(serving.checkIP(address), address)
  assert.equal(serving.checkIP('10.0.0.2'), undefined)
})

test('a client certificate names the user and its groups', () => {
  const { client } = openCertificates(config, { clock })
  const { certificate } = client({ commonName: 'system:node:n1', organizations: ['system:nodes', 'a'] })
  assert.deepEqual(subjectOf(new X509Certificate(certificate).raw), { commonName: 'system:node:n1', organizations: ['a', 'system:nodes'] })
})

test('a user may have a uid, by the attribute that Kubernetes reads', () => {
  const subject = { commonName: 'admin', organizations: ['system:masters'], uid: 'admin-uid' }
  assert.deepEqual(subjectOf(new X509Certificate(openCertificates(config, { clock }).client(subject).certificate).raw), subject)
})

test('a second start finds the same keys, all readable by their owner alone', (t) => {
  const base = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-'))
  t.after(() => rmSync(base, { recursive: true }))
  const folder = path.join(base, 'data', 'keys')
  const first = openCertificates({ ...config, folder }, { clock })
  const admin = first.client({ commonName: 'admin', organizations: ['system:masters'] })
  const second = openCertificates({ ...config, folder }, { clock })
  assert.deepEqual([second.ca, second.serving, second.serviceAccount], [first.ca, first.serving, first.serviceAccount])
  assert.deepEqual(second.client({ commonName: 'admin', organizations: ['system:masters'] }), admin)
  assert.notDeepEqual(second.client({ commonName: 'admin', organizations: ['others'] }), admin)
  for (const name of readdirSync(folder)) assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600, name)
})

test('another service range, or a year later, makes the serving certificate anew and keeps the CA', (t) => {
  const base = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-'))
  t.after(() => rmSync(base, { recursive: true }))
  const folder = path.join(base, 'keys')
  const first = openCertificates({ ...config, folder }, { clock })
  const moved = openCertificates({ folder, serviceCidr: '10.9.0.0/16' }, { clock })
  assert.equal(moved.ca.certificate, first.ca.certificate)
  assert.equal(new X509Certificate(moved.serving.certificate).checkIP('10.9.0.1'), '10.9.0.1')
  const later = openCertificates({ folder, serviceCidr: '10.9.0.0/16' }, { clock: new VirtualClock(clock.now() + 340 * 86_400_000) })
  assert.notEqual(later.serving.certificate, moved.serving.certificate)
})

test('a damaged file is named', (t) => {
  const base = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-'))
  t.after(() => rmSync(base, { recursive: true }))
  const folder = path.join(base, 'keys')
  openCertificates({ ...config, folder }, { clock })
  writeFileSync(path.join(folder, 'ca.pem'), 'x')
  assert.throws(
    () => openCertificates({ ...config, folder }, { clock }),
    (e) => e instanceof CertificatesError && e.message.includes('ca.pem is damaged'),
  )
})

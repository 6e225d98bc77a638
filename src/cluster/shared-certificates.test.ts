import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { type SharedCertificatesConfig, writeSharedCertificates } from './shared-certificates.ts'

const DAY_MS = 86_400_000

function stage() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-certificates-'))
  const clock = new VirtualClock()
  const config: SharedCertificatesConfig = {
    folder,
    server: 'https://api.example.com:6443',
    hosts: ['api.example.com', '192.0.2.1'],
    etcdHosts: ['192.0.2.11'],
    serviceCidr: '10.0.0.0/24',
    renew: false,
    signingKey: 'keep',
  }
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
  return {
    folder,
    clock,
    read,
    certificate: (file: string) => new X509Certificate(read(file)),
    write: (more: Partial<SharedCertificatesConfig> = {}) => writeSharedCertificates({ ...config, ...more }, { clock }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

test('the files are those of kubeadm, and each certificate holds its hosts', () => {
  using it = stage()
  const written = it.write()
  for (const file of ['ca.crt', 'apiserver.key', 'etcd/peer.crt', 'front-proxy-client.crt', 'sa.pub', 'admin.conf'])
    assert.ok(written.includes(file), file)
  const serving = it.certificate('apiserver.crt')
  for (const host of ['api.example.com', 'kubernetes.default.svc']) assert.equal(serving.checkHost(host), host)
  for (const ip of ['192.0.2.1', '10.0.0.1', '127.0.0.1']) assert.equal(serving.checkIP(ip), ip)
  assert.equal(it.certificate('etcd/peer.crt').checkIP('192.0.2.11'), '192.0.2.11')
  for (const [leaf, issuer] of [
    ['apiserver', 'ca'],
    ['apiserver-etcd-client', 'etcd/ca'],
    ['front-proxy-client', 'front-proxy-ca'],
  ] as const)
    assert.ok(it.certificate(`${leaf}.crt`).checkIssued(it.certificate(`${issuer}.crt`)), leaf)
  assert.match(it.read('admin.conf'), /server: https:\/\/api\.example\.com:6443\n/)
})

test('what is still valid stays', () => {
  using it = stage()
  it.write()
  assert.deepEqual(it.write(), [])
})

for (const [why, more, expected] of [
  ['a server that was added', { hosts: ['api.example.com', '192.0.2.1', '192.0.2.2'] }, ['apiserver.crt', 'apiserver.key']],
  ['another address of the balancer', { server: 'https://lb.example.com' }, ['admin.conf', 'controller-manager.conf', 'scheduler.conf']],
  ['the next signing key', { signingKey: 'rotate' }, ['sa.pub', 'sa-next.key']],
] as const)
  test(`${why} changes no other file`, () => {
    using it = stage()
    it.write()
    assert.deepEqual(it.write(more), expected)
  })

test('certificates that end soon are made anew; authorities and the signing key stay', async () => {
  using it = stage()
  it.write()
  const kept = ['ca.crt', 'etcd/ca.key', 'sa.key'].map((file) => it.read(file))
  await it.clock.advance(350 * DAY_MS)
  const written = it.write()
  assert.ok(written.includes('apiserver.crt') && written.includes('users/admin.crt') && written.includes('admin.conf'))
  assert.deepEqual(
    ['ca.crt', 'etcd/ca.key', 'sa.key'].map((file) => it.read(file)),
    kept,
  )
  assert.ok(it.write({ renew: true }).includes('etcd/server.crt'))
})

test('a rotated signing key is the one that was known before', () => {
  using it = stage()
  it.write()
  it.write({ signingKey: 'rotate' })
  const next = it.read('sa-next.key')
  assert.deepEqual(it.write({ signingKey: 'rotate' }), ['sa.pub', 'sa.key'])
  assert.equal(it.read('sa.key'), next)
  assert.throws(() => it.read('sa-next.key'))
})

test('a key of another certificate is named, and nothing is written over it', () => {
  using it = stage()
  it.write()
  writeFileSync(path.join(it.folder, 'ca.key'), it.read('etcd/ca.key'))
  assert.throws(() => it.write(), { message: /\/ca\.crt and .*\/ca\.key do not belong together: put them back/ })
})

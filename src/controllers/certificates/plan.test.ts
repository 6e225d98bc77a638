import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../machinery/object.ts'
import type { CertificateSigningRequest as Request } from '../../machinery/x509/certificate-request.ts'
import type { CertificateSigningRequest } from '../../resources/types/certificates.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planApproval, planSigning, staleAtMs } from './plan.ts'

const HOUR = 3_600_000
const MADE = Date.parse('2026-01-01T00:00:00Z')
const SAID = Date.parse('2026-01-01T06:00:00Z')
const csr = (status: JsonObject): CertificateSigningRequest =>
  sketch({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'r', creationTimestamp: '2026-01-01T00:00:00Z' },
    status,
  })
const said = (type: string) => ({ conditions: [{ type, status: 'True', lastUpdateTime: '2026-01-01T06:00:00Z' }] })

test('a request is kept until its retention time is over', () => {
  const garbage = Buffer.from('no certificate').toString('base64')
  for (const [what, status, expected] of [
    ['nobody has said anything', {}, MADE + 24 * HOUR],
    ['denied', said('Denied'), SAID + HOUR],
    ['failed', said('Failed'), SAID + HOUR],
    ['issued', { ...said('Approved'), certificate: garbage }, SAID + HOUR],
    ['approved, and its signer is slow', said('Approved'), SAID + 24 * HOUR],
    ['something else', said('example.com/Other'), undefined],
  ] as const)
    assert.equal(staleAtMs(csr(status as unknown as JsonObject)), expected, what)
})

const DS = 'digital signature'
const KE = 'key encipherment'
const names = { dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] }
const request = (more: object = {}, organizations = ['system:nodes'], commonName = 'system:node:a'): Request =>
  ({ subject: { organizations, commonName }, publicKey: undefined, ...names, ...more }) as unknown as Request

for (const [signer, usages, asked, expected] of [
  ['kubelet-client', [DS, 'client auth'], request(), 'signed'],
  ['kubelet-client', ['client auth', KE, DS], request(), 'signed'],
  ['kubelet-client', ['client auth'], request(), 'usages did not match [client auth digital signature key encipherment]'],
  ['kubelet-client', ['client auth'], request({}, ['devs']), 'subject organization is not system:nodes'],
  ['kubelet-client', [DS, 'client auth'], request({ uris: ['spiffe://x'] }), 'URI subjectAltNames are not allowed'],
  ['kubelet-client', ['any'], request({}, ['system:nodes'], 'bob'), 'subject common name does not begin with system:node:'],
  ['kubelet-serving', [DS, KE, 'server auth'], request({ dnsNames: ['a'] }), 'signed'],
  ['kubelet-serving', ['any'], request(), 'DNS or IP subjectAltName is required'],
  ['kubelet-serving', ['any'], request({ dnsNames: ['a'], emailAddresses: ['x@y.z'] }), 'Email subjectAltNames are not allowed'],
  [
    'kubelet-serving',
    [DS, 'server auth', 'client auth'],
    request({ dnsNames: ['a'] }, ['system:nodes'], 'bob'),
    'usages did not match [digital signature key encipherment server auth]',
  ],
] as const)
  test(`what the signer for kubelets wants: ${expected}`, () => {
    const signerName = signer === 'kubelet-client' ? 'kubernetes.io/kube-apiserver-client-kubelet' : 'kubernetes.io/kubelet-serving'
    const of: CertificateSigningRequest = sketch({ ...csr(said('Approved')), spec: { signerName, usages, username: 'system:node:a' } })
    const plan = planSigning(of, asked)
    assert.equal(plan.kind === 'fail' ? plan.message : 'signed', expected)
    const open: CertificateSigningRequest = sketch({ ...of, status: {} })
    assert.equal(planApproval(open, asked).length > 0, expected === 'signed' && signer === 'kubelet-client')
  })

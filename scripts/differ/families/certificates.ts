import { generateKeyPairSync } from 'node:crypto'
import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import { createCertificateRequest } from '../../../src/machinery/x509/create-certificate-request.ts'
import { testCertificate } from '../../../src/testing/test-certificate.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import type { Subject } from '../subject.ts'

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const ADDRESS = `${REQUESTS}/{ns}`
const ROLES = '/apis/rbac.authorization.k8s.io/v1'
const USER = { user: '{ns}-alice', groups: ['{ns}-team', 'system:authenticated'] }

/** A user requests a certificate; it is approved, denied, signed, changed by others who may or may not. */
export function certificates({ draw }: Subject): Step[] {
  const rules = draw.some(RULES, 0.5)
  return [
    { do: 'POST', path: `${ROLES}/clusterroles`, body: { metadata: { name: '{ns}' }, rules }, quiet: true },
    {
      do: 'POST',
      path: `${ROLES}/clusterrolebindings`,
      body: {
        metadata: { name: '{ns}' },
        roleRef: { kind: 'ClusterRole', name: '{ns}' },
        subjects: [{ kind: 'Group', name: '{ns}-team' }],
      },
      quiet: true,
    },
    { do: 'POST', path: REQUESTS, body: request(draw), ...(draw.chance(0.3) && rules.includes(RULES[0]) && { as: USER }) },
    ...draw.several(6, 9, (): Step => ({ ...act(draw), ...(draw.chance(0.4) && { as: USER }) })),
    { do: 'GET', path: ADDRESS },
  ]
}

const API = { apiGroups: ['certificates.k8s.io'] }
const RULES: readonly [JsonObject, ...JsonObject[]] = [
  { ...API, resources: ['certificatesigningrequests'], verbs: ['create', 'get', 'list', 'update', 'patch'] },
  { ...API, resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'], verbs: ['update', 'patch'] },
  { ...API, resources: ['signers'], verbs: ['approve'], resourceNames: ['kubernetes.io/*'] },
  { ...API, resources: ['signers'], verbs: ['sign', 'approve'], resourceNames: ['example.com/signer'] },
]

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { cert } = testCertificate()

const base64 = (text: string) => Buffer.from(text).toString('base64')

const pem = (commonName: string, organizations: readonly string[]) =>
  base64(createCertificateRequest({ subject: { commonName, organizations } }, keys))

const PEMS: readonly [string, ...string[]] = [
  pem('alice', []),
  pem('alice', ['system:masters']),
  pem('system:node:n', ['system:nodes']),
  base64('no PEM'),
  base64(cert),
]

const SPEC: Readonly<Record<string, readonly Json[]>> = {
  expirationSeconds: [600, 599, 3600, -1],
  usages: [['client auth'], ['client auth', 'digital signature'], ['server auth', 'digital signature', 'key encipherment'], ['x'], []],
  username: ['mallory'],
  groups: [['system:masters']],
  extra: [{ a: ['b'] }],
}

const request = (draw: Draw): JsonObject => ({
  metadata: { name: '{ns}' },
  spec: {
    request: draw.pick([PEMS[0], PEMS[0], ...PEMS]),
    signerName: draw.pick([
      'example.com/signer',
      'example.com/signer',
      'kubernetes.io/kube-apiserver-client',
      'kubernetes.io/kubelet-serving',
      'kubernetes.io/kube-apiserver-client-kubelet',
      'x',
    ]),
    usages: ['client auth'],
    ...draw.members(SPEC, 0.2),
  },
})

const CONDITIONS: readonly [Json, ...Json[]] = [
  [{ type: 'Approved', status: 'True', reason: 'R', message: 'm' }],
  [{ type: 'Approved', status: 'True', lastUpdateTime: '2026-01-02T03:04:05Z' }],
  [{ type: 'Approved', status: 'False' }],
  [{ type: 'Denied', status: 'True' }],
  [{ type: 'Failed', status: 'True' }],
  [
    { type: 'Approved', status: 'True' },
    { type: 'Denied', status: 'True' },
  ],
  [
    { type: 'Approved', status: 'True' },
    { type: 'Approved', status: 'True' },
  ],
  [{ type: 'Other', status: 'Unknown' }],
  [],
]

function act(draw: Draw): Step {
  const part = draw.pick(['/approval', '/approval', '/approval', '/status', '/status', ''])
  const status = draw.members(
    { conditions: CONDITIONS, certificate: [base64(cert), base64(`note\n${cert}`), base64('x'), PEMS[0], ''] },
    0.6,
  )
  const metadata = draw.members({ labels: [{ a: 'b' }], annotations: [{ a: 'b' }] }, 0.2)
  const query = draw.pick(['', '', '', '?dryRun=All'])
  switch (draw.pick(['patch', 'patch', 'patch', 'put', 'apply', 'get', 'delete', 'list'])) {
    case 'put':
      return { do: 'PUT', path: `${ADDRESS}${part}${query}`, body: { ...request(draw), status } }
    case 'apply': {
      const identity = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' }
      const headers = { 'content-type': 'application/apply-patch+yaml' }
      return {
        do: 'PATCH',
        path: `${ADDRESS}${part}?fieldManager=m&force=true`,
        headers,
        body: { ...identity, metadata: { name: '{ns}' }, status },
      }
    }
    case 'get':
      return { do: 'GET', path: `${ADDRESS}${part}` }
    case 'list':
      return {
        do: 'GET',
        path: `${REQUESTS}?fieldSelector=${draw.pick(['metadata.name={ns}', 'metadata.name={ns},spec.signerName=example.com/signer'])}`,
      }
    case 'delete':
      return { do: 'DELETE', path: `${ADDRESS}?dryRun=All` }
    default:
      return {
        do: 'PATCH',
        path: `${ADDRESS}${part}${query}`,
        body: { metadata, ...draw.members({ spec: [draw.members(SPEC, 0.3)] }, 0.15), status },
      }
  }
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../../machinery/object.ts'
import { admissionSetup, type Write } from '../admission.double.ts'
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './certificates.ts'
import { ownerReferencesPermissionEnforcement } from './owner-references.ts'

const request = (status: object = {}): KubeObject => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'csr' },
  spec: { signerName: 'example.com/web' },
  status,
})
const no = (verb: string) =>
  `403 certificatesigningrequests.certificates.k8s.io "csr" is forbidden: user not permitted to ${verb} requests with signerName "example.com/web"`

const approval = { object: request(), old: request(), subresource: 'approval' }
const approvals: readonly (readonly [rule: string, rights: readonly string[], write: Write, said: string])[] = [
  ['without a right nobody approves', [], approval, no('approve')],
  ['the signer’s name gives it', ['approve signers example.com/web'], approval, 'ok'],
  ['so does its domain', ['approve signers example.com/*'], approval, 'ok'],
  ['another signer does not', ['approve signers example.com/mail'], approval, no('approve')],
  ['the right to sign is another', ['sign signers example.com/web'], approval, no('approve')],
  ['other updates are not approvals', [], { ...approval, subresource: '' }, 'ok'],
]
for (const [rule, rights, write, said] of approvals)
  test(`CertificateApproval: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({}, rights)
    assert.equal(await admit(certificateApproval(deps), write), said)
  })

const signing = (status: object, before: object = {}) => ({ object: request(status), old: request(before), subresource: 'status' })
const FAILED = { conditions: [{ type: 'Failed', status: 'True' }] }
const signings: readonly (readonly [rule: string, rights: readonly string[], write: Write, said: string])[] = [
  ['a certificate needs the right', [], signing({ certificate: 'PEM' }), no('sign')],
  ['which the signer’s name gives', ['sign signers example.com/web'], signing({ certificate: 'PEM' }), 'ok'],
  ['a condition needs it, too', [], signing(FAILED), no('sign')],
  ['what was there may be written again', [], signing(FAILED, FAILED), 'ok'],
]
for (const [rule, rights, write, said] of signings)
  test(`CertificateSigning: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({}, rights)
    assert.equal(await admit(certificateSigning(deps), write), said)
  })

const bundle = (signerName: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'certificates.k8s.io/v1beta1',
  kind: 'ClusterTrustBundle',
  metadata: { name: 'b', ...metadata },
  spec: { trustBundle: 'PEM', ...(signerName !== '' && { signerName }) },
})
const WEB = 'example.com/web'
const noAttest =
  '403 clustertrustbundles.certificates.k8s.io "b" is forbidden: user not permitted to attest for signerName "example.com/web"'
const owned = { finalizers: ['a/b'] }
const attestations: readonly (readonly [rule: string, rights: readonly string[], write: Write, outcome: string])[] = [
  ['a bundle of no signer needs no right', [], { object: bundle('') }, 'ok'],
  ['a bundle of a signer needs it', [], { object: bundle(WEB) }, noAttest],
  ['which the signer’s name gives', ['attest signers example.com/web'], { object: bundle(WEB) }, 'ok'],
  ['or its domain', ['attest signers example.com/*'], { object: bundle(WEB) }, 'ok'],
  ['the right to sign is another', ['sign signers example.com/web'], { object: bundle(WEB) }, noAttest],
  ['an update needs it', [], { object: bundle(WEB, { labels: { a: 'b' } }), old: bundle(WEB) }, noAttest],
  ['an update of finalizers alone does not', [], { object: bundle(WEB, owned), old: bundle(WEB) }, 'ok'],
  ['a deletion does not', [], { object: bundle(WEB), operation: 'DELETE' }, 'ok'],
]
for (const [rule, rights, write, outcome] of attestations)
  test(`ClusterTrustBundleAttest: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({}, rights)
    assert.equal(await admit(clusterTrustBundleAttest(deps), write), outcome)
  })

const map = (...ownerReferences: { kind: string; name: string; uid: string; blockOwnerDeletion?: boolean }[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm', namespace: 'ns', ownerReferences: ownerReferences.map((o) => ({ apiVersion: 'apps/v1', ...o })) },
})
const OWNER = { kind: 'Deployment', name: 'web', uid: 'u' }
const BLOCKS = { ...OWNER, blockOwnerDeletion: true }
const CANNOT_DELETE = `403 configmaps "m" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`
const CANNOT_BLOCK =
  '403 configmaps "m" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: , <nil>'
const owners: readonly (readonly [rule: string, rights: readonly string[], write: Write, said: string])[] = [
  ['a new object may have an owner', [], { object: map(OWNER) }, 'ok'],
  ['an owner is changed by those who may delete', [], { object: map(OWNER), old: map() }, CANNOT_DELETE],
  ['and by nobody else', ['delete configmaps m'], { object: map(OWNER), old: map() }, 'ok'],
  ['owners that stay need no right', [], { object: map(OWNER), old: map(OWNER) }, 'ok'],
  ['to block needs the owner’s finalizers', [], { object: map(BLOCKS) }, CANNOT_BLOCK],
  ['which is a right on its subresource', ['update deployments/finalizers web'], { object: map(BLOCKS) }, 'ok'],
  [
    'an owner of an unknown kind cannot be blocked',
    ['update nopes/finalizers web'],
    { object: map({ ...BLOCKS, kind: 'Nope' }) },
    '403 configmaps "m" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion apps/v1 Kind Nope: no matches for kind "Nope" in version "apps/v1"',
  ],
  ['but by those who may set all finalizers', ['update */finalizers *'], { object: map({ ...BLOCKS, kind: 'Nope' }) }, 'ok'],
  ['what blocked before may go on', ['delete configmaps m'], { object: map(BLOCKS, { ...OWNER, uid: 'v' }), old: map(BLOCKS) }, 'ok'],
]
for (const [rule, rights, write, said] of owners)
  test(`OwnerReferencesPermissionEnforcement: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({}, rights)
    assert.equal(await admit(ownerReferencesPermissionEnforcement(deps), write), said)
  })

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newKeyPair } from './certificate.ts'
import { readCertificateRequest } from './certificate-request.ts'
import { createCertificateRequest } from './create-certificate-request.ts'

const subject = { commonName: 'system:node:worker-1', organizations: ['system:nodes'] }

for (const [what, names] of [
  ['names and addresses', { dnsNames: ['worker-1'], ipAddresses: ['192.0.2.7', 'fd00:0:0:0:0:0:0:7'] }],
  ['nothing but a subject', { dnsNames: [], ipAddresses: [] }],
] as const)
  test(`a request with ${what} is read as it was written`, () => {
    const keys = newKeyPair()
    const { publicKey, ...read } = readCertificateRequest(createCertificateRequest({ subject, ...names }, keys)) ?? {}
    assert.deepEqual(read, { subject, ...names, emailAddresses: [], uris: [], signed: true })
    assert.ok(publicKey?.equals(keys.publicKey))
  })

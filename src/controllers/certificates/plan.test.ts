import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../machinery/object.ts'
import type { CertificateSigningRequest } from '../../resources/types/certificates.ts'
import { sketch } from '../frame/sketch.double.ts'
import { staleAtMs } from './plan.ts'

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

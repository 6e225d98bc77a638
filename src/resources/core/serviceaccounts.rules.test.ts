import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import { ruleTables } from '../rule-table.contract.ts'
import { serviceAccounts } from './serviceaccounts.ts'

ruleTables(serviceAccounts, {
  object: `
metadata: {name: sa}
`,
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
  ],
})

ruleTables(serviceAccounts, {
  object: `
metadata: {name: sa1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
secrets: [{name: x}]
imagePullSecrets: [{name: "y"}]
automountServiceAccountToken: false
`,
  update: [['-metadata.labels', '-metadata.labels']],
})

test('a token lives for an hour where its request does not say how long', () => {
  const { token } = serviceAccounts.subresources ?? {}
  const lifetime = (spec?: object) => {
    const request: KubeObject = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, ...(spec && { spec }) }
    if (token?.kind === 'action') token.defaults?.(request)
    return request
  }
  assert.deepEqual(lifetime().spec, { expirationSeconds: 3600 })
  assert.deepEqual(lifetime({ expirationSeconds: 7200 }).spec, { expirationSeconds: 7200 })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { optionsFault } from './delete-body.ts'

const notRegistered = (kind: string, version: string) =>
  `no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`
const conversion = (from: string) => `converting (${from}) to (v1.DeleteOptions): unknown conversion`

for (const [apiVersion, kind, fault] of [
  ['', '', undefined],
  ['apps/v1', 'DeleteOptions', undefined],
  ['x/y/z', '', 'unexpected GroupVersion string: x/y/z'],
  ['', 'Pod', notRegistered('Pod', 'meta.k8s.io/v1')],
  ['x/v1', 'Status', conversion('v1.Status')],
  ['', 'ListOptions', conversion('v1.ListOptions')],
  ['v1', 'ListOptions', notRegistered('ListOptions', 'v1')],
  ['meta.k8s.io/v1beta1', 'Table', conversion('v1.Table')],
  ['meta.k8s.io/v1beta1', 'PartialObjectMetadataList', conversion('v1beta1.PartialObjectMetadataList')],
] as const)
  test(`the body of a deletion may be ${apiVersion || 'no version'}, ${kind || 'no kind'}: ${fault ?? 'yes'}`, () => {
    assert.equal(optionsFault({ apiVersion, kind }), fault)
  })

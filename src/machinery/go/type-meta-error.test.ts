import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../object.ts'
import { typeMetaError } from './type-meta-error.ts'

for (const [json, error] of [
  [null, undefined],
  [{}, undefined],
  [{ apiVersion: 'v1', kind: null }, undefined],
  [[], /unmarshal array into Go value of type struct \{ APIVersion string /],
  [5, /unmarshal number into Go value of type struct/],
  [{ kind: 1 }, /unmarshal number into Go struct field \.kind of type string$/],
  [{ apiVersion: {}, kind: 1 }, /unmarshal object into Go struct field \.apiVersion of type string$/],
] as const satisfies readonly (readonly [Json, RegExp | undefined])[])
  test(`apiVersion and kind of ${JSON.stringify(json)} can${error ? 'not' : ''} be read`, () => {
    if (error === undefined) assert.equal(typeMetaError(json), undefined)
    else assert.match(typeMetaError(json) ?? '', error)
  })

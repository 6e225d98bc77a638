import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inputEncoding } from './media-type.ts'

for (const [header, encoding] of [
  ['application/json', 'json'],
  ['application/json; charset=utf-8', 'json'],
  ['application/yaml ; a="b;c" ;', 'yaml'],
  ['application/json; foo', undefined],
  ['application/json; a=1; A=2', undefined],
  ['text/plain', undefined],
] as const)
  test(`Content-Type: ${header} is ${encoding ?? 'refused'}`, () => {
    if (encoding === undefined) assert.throws(() => inputEncoding(header, true), /accepted media types include/)
    else assert.equal(inputEncoding(header, true), encoding)
  })

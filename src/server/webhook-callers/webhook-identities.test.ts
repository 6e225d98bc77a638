import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesFor } from './webhook-identities.ts'

const table: readonly (readonly [host: string, names: readonly string[]])[] = [
  ['hooks.shop.svc:8443', ['hooks.shop.svc:8443', '*.shop.svc:8443', '*.svc:8443', '*']],
  ['a.svc:443', ['a.svc:443', '*.svc:443', 'a.svc', '*.svc', '*']],
  ['example', ['example', '*']],
]

for (const [host, names] of table) test(`the identities for ${host}, the nearest first`, () => assert.deepEqual(namesFor(host), names))

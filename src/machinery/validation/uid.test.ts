import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uidFault } from './uid.ts'

const UID = '12345678-1234-1234-1234-123456789abc'

/** Asked of kube-apiserver 1.36.3. */
const TEXTS: readonly (readonly [text: string, fault: RegExp | undefined])[] = [
  [UID, undefined],
  ['', /^error validating uid: invalid UUID length: 0$/],
  [`${UID} `, /length: 37$/],
  [UID.toUpperCase(), /^uid must be in RFC 4122 normalized form/],
  [`{${UID}}`, /^uid must be in RFC 4122/],
  [`urn:uuid:${UID}`, /^uid must be in RFC 4122/],
  [UID.replaceAll('-', ''), /^uid must be in RFC 4122/],
  [`abc:uuid:${UID}`, /invalid urn prefix: "abc:uuid:"$/],
  [UID.replace('-', '_'), /invalid UUID format$/],
  ['g'.repeat(32), /invalid UUID format$/],
  [`[${UID}]`, /invalid bracketed UUID format$/],
  ['é'.repeat(18), /invalid UUID format$/],
]
for (const [text, fault] of TEXTS)
  test(`${JSON.stringify(text)} is ${fault === undefined ? 'a UID' : `no UID: ${fault}`}`, () => {
    if (fault === undefined) assert.equal(uidFault(text), undefined)
    else assert.match(uidFault(text) ?? '', fault)
  })

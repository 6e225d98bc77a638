import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultText } from '../field-error.ts'
import { validateDomainPrefixedPath, validateFullyQualifiedDomainName, validateFullyQualifiedName } from './domain-name.ts'

const CHECKS = { validateFullyQualifiedName, validateFullyQualifiedDomainName, validateDomainPrefixedPath }
const LONG = 'a'.repeat(64)
/** A text, and what is wrong with it (the start of the message). */
const TABLE: Readonly<Record<keyof typeof CHECKS, readonly (readonly [text: string, ...faults: string[]])[]>> = {
  validateFullyQualifiedName: [
    ['a.b.c'],
    ['a.b.c.d'],
    ['', 'x: Required value'],
    ['a.b', 'x: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
    ['A.b.c', 'x: Invalid value: "A.b.c": a lowercase RFC 1123 subdomain must consist of'],
    ['a.b.c.', 'x: Invalid value: "a.b.c.": a lowercase RFC 1123 subdomain must consist of'],
  ],
  validateFullyQualifiedDomainName: [
    ['a.b'],
    ['a.b.'],
    ['', 'x: Required value'],
    ['a', 'x: Invalid value: "a": should be a domain with at least two segments separated by dots'],
    ['a.', 'x: Invalid value: "a": should be a domain with at least two segments separated by dots'],
    ['A.b', 'x: Invalid value: "A.b": a lowercase RFC 1123 subdomain must consist of'],
    [`a.${LONG}`, `x: Invalid value: "${LONG}": must be no more than 63`],
  ],
  validateDomainPrefixedPath: [
    ['a.io/b'],
    ['a/b/c'],
    ["a.io/b._~%!$&'()*+,;=:-/c"],
    ['', 'x: Required value'],
    ['a', 'x: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")'],
    ['/b', 'x: Invalid value: "/b": must be a domain-prefixed path (such as "acme.io/foo")'],
    ['a/', 'x: Invalid value: "a/": must be a domain-prefixed path (such as "acme.io/foo")'],
    ['A/b', 'x: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of'],
    ['a/b c', 'x: Invalid value: "b c": Invalid path (regex used for validation is'],
    ['A/b c', 'x: Invalid value: "A": a lowercase RFC 1123 subdomain', 'x: Invalid value: "b c": Invalid path'],
  ],
}
for (const [name, rows] of Object.entries(TABLE))
  for (const [text, ...faults] of rows)
    test(`${name}: "${text}"`, () => {
      const found = CHECKS[name as keyof typeof CHECKS]('x', text).map(faultText)
      assert.deepEqual(
        found.map((fault, i) => fault.slice(0, faults[i]?.length)),
        faults,
      )
    })

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { imageNameFault } from './image-name.ts'

const DIGITS = 'a'.repeat(64)
const INVALID = 'invalid reference format'

const names: readonly (readonly [string, string | undefined])[] = [
  ['busybox', undefined],
  ['busybox:1.37', undefined],
  ['registry.k8s.io/e2e-test-images/agnhost:2.63.0', undefined],
  ['localhost:5000/a__b/c-d--e.f', undefined],
  ['[::1]:5000/a', undefined],
  ['Registry/app', undefined],
  [`app:1@sha256:${DIGITS}`, undefined],
  ['Bad:::Name', 'invalid reference format: repository name (library/Bad) must be lowercase'],
  ['example.com/App', 'invalid reference format: repository name (App) must be lowercase'],
  ['bad:::name', INVALID],
  ['app:', INVALID],
  ['a//b', INVALID],
  ['a..b', INVALID],
  ['a___b', INVALID],
  ['-a', INVALID],
  ['a b', INVALID],
  ['', INVALID],
  ['app@sha256:short', INVALID],
  [`app@md5:${DIGITS}`, 'unsupported digest algorithm'],
  [`app@sha256:${'a'.repeat(63)}`, 'invalid checksum digest length'],
  [`app@sha256:${'A'.repeat(64)}`, 'invalid checksum digest format'],
  [DIGITS, `invalid repository name (${DIGITS}), cannot specify 64-byte hexadecimal strings`],
  [`example.com/${'a'.repeat(256)}`, 'repository name must not be more than 255 characters'],
]

for (const [name, why] of names)
  test(`an image named ${JSON.stringify(name.slice(0, 60))}${why === undefined ? '' : ': '}${why?.slice(0, 60) ?? ''}`, () => {
    assert.equal(imageNameFault(name), why && `couldn't parse image name ${JSON.stringify(name)}: ${why}`)
  })

/** The same grammar as one regular expression, from the specification. */
const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const HOST = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const WHOLE = new RegExp(`^${HOST}(?:\\.${HOST})*(?::[0-9]+)?/${COMPONENT}(?:/${COMPONENT})*(?::\\w[\\w.-]{0,127})?$`)

test('a name with a registry is accepted exactly if the grammar matches', () => {
  const rest = fc.string({ unit: fc.constantFrom('a', '1', '.', '_', '-', '/', ':'), maxLength: 12 })
  fc.assert(
    fc.property(rest, (text) => {
      const name = `r.io/${text}`
      assert.equal(imageNameFault(name) === undefined, WHOLE.test(name))
    }),
  )
})

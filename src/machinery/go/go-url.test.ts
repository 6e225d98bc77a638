import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery, parseRequestUri, UrlError } from './go-url.ts'

// What Go 1.26 says of the same texts.
for (const [text, want] of [
  ['https://user:pa@ss@example.com:80/a/b?c=d', ['https', 'example.com:80', 'example.com', '80', '/a/b', 'c=d']],
  ['/path only', ['', '', '', '', '/path%20only', '']],
  ['http://a/%41(b) c', ['http', 'a', 'a', '', '/A%28b%29%20c', '']],
  ['mailto:a@b', ['mailto', '', '', '', '', '']],
  ['//host/p', ['', '', '', '', '//host/p', '']],
  ['mongodb://a:1,b:2/x', ['mongodb', 'a:1,b:2', 'a:1,b', '2', '/x', '']],
  ['https://[fe80::1%25en0]:443/', ['https', '[fe80::1%en0]:443', 'fe80::1%en0', '443', '/', '']],
  ['*', ['', '', '', '', '*', '']],
] as const) {
  test(`${text} is a URL`, () => {
    const { scheme, host, hostname, port, escapedPath, rawQuery } = parseRequestUri(text)
    assert.deepEqual([scheme, host, hostname, port, escapedPath, rawQuery], want)
  })
}

for (const [text, why] of [
  ['', 'empty url'],
  ['../x', 'invalid URI for request'],
  ['#%blah$#@', 'invalid URI for request'],
  ['http://#%blah$#@', 'net/url: invalid userinfo'],
  ['https://a:b:c/', 'invalid port ":b:c" after host'],
  ['http://::1/', 'invalid port "::1" after host'],
  ['http://[10.0.0.1]/', 'invalid IP-literal'],
  ['http://[::1/', "missing ']' in host"],
  ['http://a b/', 'invalid character " " in host name'],
  ['http://a/%zz', 'invalid URL escape "%zz"'],
  [':x', 'missing protocol scheme'],
  ['http://a/\n', 'net/url: invalid control character in URL'],
] as const) {
  test(`${JSON.stringify(text)} is none: ${why}`, () => {
    assert.throws(() => parseRequestUri(text), new UrlError(why))
  })
}

test('parameters that are not well formed are left out', () => {
  assert.deepEqual(
    [...parseQuery('a=1+2&a=%41&b&c;d=1&e=%zz')],
    [
      ['a', ['1 2', 'A']],
      ['b', ['']],
    ],
  )
})

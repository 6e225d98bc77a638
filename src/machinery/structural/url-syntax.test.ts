import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUrl } from './url-syntax.ts'

/** What Go's `url.Parse` takes, and what it refuses. */
const URLS: Readonly<Record<'yes' | 'no', readonly string[]>> = {
  yes: [
    '',
    'a',
    'a/b',
    '/a',
    'http://a',
    'http://a:80/b?c#d',
    'http://u:p@a:80',
    'http://[::1]',
    'http://[::1]:80',
    'http://[fe80::1%25en0]/',
    'mailto:a@b',
    'a?b:c',
    'http://a:',
    'http:a',
    'a/b:c',
    '//a:80',
    '?%zz',
    '/%41',
    'http://a/é',
    'http://',
    'a#:',
  ],
  no: [
    'http://a\n',
    'a\x7f',
    ':a',
    '/%zz',
    '/%4',
    'http://a b',
    'http://a:b',
    'http://a:80b',
    'http://[::1',
    'http://[::1]x',
    'http://[a]b:80',
    '1a:b',
    'a b:c',
    'http://a|b',
    'http://<a>',
  ],
}
for (const text of URLS.yes) test(`${JSON.stringify(text)} is a URL`, () => assert.equal(parseUrl(text), true))
for (const text of URLS.no) test(`${JSON.stringify(text)} is no URL`, () => assert.equal(parseUrl(text), false))

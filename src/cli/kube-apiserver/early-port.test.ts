import assert from 'node:assert/strict'
import { test } from 'node:test'
import { earlyPort } from './early-port.ts'

for (const [line, expected] of [
  ['--bind-address=127.0.0.1 --secure-port=6443', { host: '127.0.0.1', port: 6443 }],
  ['--secure-port=1 --v=2 --bind-address=::1 --secure-port=2', { host: '::1', port: 2 }],
  ['--secure-port=6443', undefined],
  ['--bind-address=127.0.0.1 --secure-port=0', undefined],
  ['--bind-address=127.0.0.1 --secure-port=70000', undefined],
  ['--bind-address=localhost --secure-port=6443', undefined],
  ['--bind-address=127.0.0.1 --secure-port=6443 --secure-port 6444', undefined],
  ['--bind-address=127.0.0.1 --secure-port=6443 --secure_port=6444', undefined],
  ['--bind-address=127.0.0.1 --secure-port=6443 --help', undefined],
  ['--bind-address=127.0.0.1 --secure-port=6443 --version=raw', undefined],
] as const)
  test(`${line}: ${expected === undefined ? 'parsed later' : `${expected.host} ${expected.port}`}`, () =>
    assert.deepEqual(earlyPort(line.split(' ')), expected))

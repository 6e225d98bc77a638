import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ordersProgress } from './orders-progress.ts'

for (const [version, ordered] of [
  ['3.3.27', false],
  ['3.4.23', false],
  ['3.4.24', false],
  ['3.4.25', true],
  ['3.5.0', false],
  ['3.5.7', false],
  ['3.5.8', true],
  ['3.5.21', true],
  ['3.6.0', true],
  ['3.6.0-rc.1', true],
  ['4.0.0', true],
  ['', false],
  ['nonsense', false],
] as const)
  test(`etcd ${version} ${ordered ? 'keeps' : 'does not keep'} progress behind changes`, () =>
    assert.equal(ordersProgress(version), ordered))

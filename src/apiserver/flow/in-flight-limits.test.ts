import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../machinery/status-error.ts'
import { resourceAttributes } from '../identity/authorizer.ts'
import { createInFlightLimits, type InFlightConfig } from './in-flight-limits.ts'

function world(config: InFlightConfig) {
  const limits = createInFlightLimits(config)
  return (verb: string, ...groups: string[]) => {
    const user = { name: 'ann', groups }
    return limits.enter({ user, attributes: resourceAttributes({ user, verb, resource: 'pods' }), signal: new AbortController().signal })
  }
}
const isRejection = (error: unknown) => isStatus(error, 'TooManyRequests')

test('requests that read have another limit than all others; the end of one makes room', async () => {
  const enter = world({ reading: 2, writing: 1 })
  const reads = [await enter('get'), await enter('list')]
  const write = await enter('create')
  assert.throws(() => enter('list'), isRejection)
  for (const verb of ['create', 'patch', 'delete']) assert.throws(() => enter(verb), isRejection)
  write()
  await enter('update')
  reads[0]?.()
  await enter('get')
  assert.throws(() => enter('get'), isRejection)
})

test('system:masters are never rejected, and take no place beyond the limit', async () => {
  const enter = world({ reading: 1, writing: 1 })
  const leave = await enter('get')
  const beyond = await enter('get', 'system:masters')
  beyond()
  assert.throws(() => enter('get'), isRejection)
  leave()
  await enter('get')
})

test('0 is no limit', async () => {
  const enter = world({ reading: 0, writing: 1 })
  for (let i = 0; i < 1000; i++) await enter('get')
})

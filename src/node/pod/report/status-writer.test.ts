import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '../../../base/logger.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { conflict, notFound, StatusError } from '../../../machinery/status-error.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { Pod } from '../../types/pod.ts'
import { StatusWriter, statusPatch } from './status-writer.ts'

const PODS = { group: '', resource: 'pods' }
const podOf = (uid: string, resourceVersion: string, status: JsonObject = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid, resourceVersion },
  spec: { containers: [] },
  status,
})

/** An API with one pod, or none; `refuse` is the response to the next patch. */
function setUp(standing: Pod | undefined, refuse?: Error) {
  const patches: JsonObject[] = []
  let refusal = refuse
  const client = {
    async patch(_target: unknown, _type: string, patch: JsonObject): Promise<KubeObject> {
      if (refusal !== undefined) {
        const error = refusal
        refusal = undefined
        throw error
      }
      patches.push(patch.status as JsonObject)
      return podOf('u', String(100 + patches.length), patch.status as JsonObject)
    },
    async get(): Promise<KubeObject> {
      if (standing === undefined) throw notFound(PODS, 'p')
      return standing
    },
  } as unknown as Client
  const pod = podOf('u', '1')
  return { writer: new StatusWriter(pod, { client, log: silentLogger, changedByOthers: () => {} }), pod, patches }
}

const invalid = new StatusError({ code: 422, reason: 'Invalid', message: 'a policy does not like it' })

test('an unchanged status is not written again', async () => {
  const { writer, pod, patches } = setUp(podOf('u', '1'))
  assert.equal(await writer.write(pod, { phase: 'Running' }), 'written')
  assert.equal(await writer.write(pod, { phase: 'Running' }), 'unchanged')
  assert.equal(patches.length, 1)
})

const refused: readonly (readonly [string, Pod | undefined, Error, string])[] = [
  ['a status that is invalid does not end the pod', podOf('u', '1'), invalid, 'refused'],
  ['nor does a conflict', podOf('u', '1'), conflict(PODS, 'p', 'again'), 'refused'],
  ['a pod that is not there has gone', undefined, notFound(PODS, 'p'), 'gone'],
  ['a pod of the same name with another uid is another one', podOf('other', '9'), conflict(PODS, 'p', 'uid'), 'gone'],
]

for (const [rule, standing, error, wanted] of refused) {
  test(rule, async () => {
    const { writer, pod, patches } = setUp(standing, error)
    assert.equal(await writer.write(pod, { phase: 'Running' }), wanted)
    if (wanted === 'refused') {
      assert.equal(await writer.write(pod, { phase: 'Running' }), 'written')
      assert.equal(patches.length, 1)
    }
  })
}

test('what others make of our fields is written again, unless it is older than what we wrote', async () => {
  const { writer, pod } = setUp(podOf('u', '1'))
  await writer.write(pod, { phase: 'Running' })
  writer.observe(podOf('u', '50', { phase: 'Failed' }))
  assert.equal(await writer.write(pod, { phase: 'Running' }), 'unchanged')
  writer.observe(podOf('u', '200', { phase: 'Failed' }))
  assert.equal(await writer.write(pod, { phase: 'Running' }), 'written')
})

test('a patch names what changed alone: conditions by their type, what vanished, and addresses whole', () => {
  const ready = { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'm' }
  const before = {
    phase: 'Running',
    reason: 'X',
    conditions: [ready, { type: 'example.com/other', status: 'True' }],
    podIPs: [{ ip: 'a' }],
  }
  const after = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], podIPs: [{ ip: 'b' }] }
  assert.deepEqual(statusPatch(before, after), {
    reason: null,
    podIPs: [{ $patch: 'replace' }, { ip: 'b' }],
    conditions: [{ type: 'Ready', status: 'True', reason: null, message: null }],
    '$setElementOrder/conditions': [{ type: 'Ready' }],
  })
  assert.equal(statusPatch(before, { ...before, conditions: [ready] }), undefined)
})

test('what is gone from an object within the status is named', () => {
  const before = { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1' } } }
  const after = { resources: { limits: { cpu: '2' } } }
  assert.deepEqual(statusPatch(before, after), { resources: { limits: { cpu: '2', memory: null }, requests: null } })
})

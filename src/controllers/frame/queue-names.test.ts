import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queueNameOf } from './queue-names.ts'

for (const [controller, queue] of [
  ['deployment-controller', 'deployment'],
  ['replica-set', 'replicaset'],
  ['endpoint-slice', 'endpoint_slice'],
  ['replication-controller', 'replicationmanager'],
] as const)
  test(`the queue of ${controller} is ${queue}`, () => assert.equal(queueNameOf(controller), queue))

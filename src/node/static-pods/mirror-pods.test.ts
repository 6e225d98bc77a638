import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../types/pod.ts'
import { CONFIG_MIRROR } from './annotations.ts'
import { asOnNode } from './mirror-pods.ts'

const pod = (uid: string, annotations: Readonly<Record<string, string>> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', uid, annotations },
  spec: { containers: [] },
  status: {},
})

test('a node knows a mirror pod by the UID of its static pod, and any other pod by its own', () => {
  assert.equal(asOnNode(pod('in-api', { [CONFIG_MIRROR]: 'on-node' })).metadata.uid, 'on-node')
  assert.equal(asOnNode(pod('plain')).metadata.uid, 'plain')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerStatus } from '../runtime/runtime.ts'
import type { Pod } from '../types/pod.ts'
import { mayPassMemoryLimit, overMemoryLimit } from './memory-limits.ts'
import { NO_FILES, type PodUse } from './usage.ts'

const use = (held: Readonly<Record<string, number>>): PodUse => ({
  containers: Object.entries(held).map(([name, memoryBytes]) => ({ name, memoryBytes, layer: NO_FILES, logs: NO_FILES })),
  volumes: new Map(),
  processes: 1,
})
const container = (name: string, memory?: string) => ({
  name,
  image: 'app',
  resources: { limits: memory === undefined ? {} : { memory } },
})
const pod = (more: object): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [], ...more },
  status: {},
})
const running = (name: string, memoryLimitBytes?: number): ContainerStatus => ({
  id: `id-${name}`,
  sandboxId: 's',
  pod: { uid: 'u', name: 'p', namespace: 'n' },
  name,
  attempt: 0,
  state: 'running',
  createdAtMs: 0,
  image: { name: 'app', id: 'app' },
  annotations: {},
  resources: memoryLimitBytes === undefined ? {} : { memoryLimitBytes },
})

test('a container over its limit is killed, to the byte', () => {
  const of = pod({ containers: [container('a', '1Ki'), container('b')] })
  assert.equal(mayPassMemoryLimit(of, use({ a: 1024, b: 9_999 })), false)
  assert.equal(mayPassMemoryLimit(of, use({ a: 1025 })), true)
  assert.deepEqual(overMemoryLimit(of, use({ a: 1025, b: 9_999 }), [running('a', 1024), running('b')]), ['id-a'])
})

test('the actuated limit counts, not the requested one', () => {
  const of = pod({ containers: [container('a', '1Ki')] })
  assert.deepEqual(overMemoryLimit(of, use({ a: 1500 }), [running('a', 2048)]), [])
  assert.deepEqual(overMemoryLimit(of, use({ a: 1500 }), []), [])
})

test('if the pod as a whole exceeds its limit, the largest container is killed', () => {
  const of = pod({ resources: { limits: { memory: '2Ki' } }, containers: [container('a'), container('b')] })
  assert.equal(mayPassMemoryLimit(of, use({ a: 1000, b: 1048 })), false)
  assert.equal(mayPassMemoryLimit(of, use({ a: 1000, b: 1100 })), true)
  assert.deepEqual(overMemoryLimit(of, use({ a: 1000, b: 1100 }), [running('a'), running('b')]), ['id-b'])
})

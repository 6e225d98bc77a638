import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../resources/types/core.ts'
import type { AdmitHandler, AdmitRequest, Refusal } from '../types/admit-handler.ts'
import type { Pod } from '../types/pod.ts'
import { admitPod } from './admit-pod.ts'

const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid: 'u' }, spec: { containers: [] }, status: {} }
const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }
const request: AdmitRequest = { pod, node, taken: [], recovered: false }

function handler(name: string, log: string[], answer: () => Promise<Refusal | undefined> = async () => undefined): AdmitHandler {
  return {
    name,
    async admit() {
      log.push(`admit ${name}`)
      return answer()
    },
    release: () => void log.push(`release ${name}`),
  }
}

test('handlers run in order until one refuses; those before it release in reverse order', async () => {
  const log: string[] = []
  const refusal = { reason: 'TopologyAffinityError', message: 'no' }
  const handlers = [handler('a', log), handler('b', log), handler('c', log, async () => refusal), handler('d', log)]
  assert.deepEqual(await admitPod(handlers, request, new AbortController().signal), refusal)
  assert.deepEqual(log, ['admit a', 'admit b', 'admit c', 'release b', 'release a'])
})

test('a pod that all handlers take is admitted', async () => {
  const log: string[] = []
  assert.equal(await admitPod([handler('a', log), handler('b', log)], request, new AbortController().signal), undefined)
  assert.deepEqual(log, ['admit a', 'admit b'])
})

test('a handler that throws refuses by name', async () => {
  const log: string[] = []
  const refusal = await admitPod(
    [handler('a', log), handler('devices', log, () => Promise.reject(new Error('socket closed')))],
    request,
    new AbortController().signal,
  )
  assert.equal(refusal?.reason, 'UnexpectedAdmissionError')
  assert.match(refusal?.message ?? '', /devices: socket closed$/)
  assert.deepEqual(log, ['admit a', 'admit devices', 'release a'])
})

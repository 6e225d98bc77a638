import assert from 'node:assert/strict'
import { test } from 'node:test'
import { qosClass } from './qos.ts'
import type { PodSpec } from './types.ts'

const pod = (...containers: [limits: string, requests: string][]): PodSpec => ({
  containers: containers.map(([limits, requests]) => ({ resources: { limits: list(limits), requests: list(requests) } })),
})
const list = (text: string) => Object.fromEntries(text.split(' ').flatMap((part) => (part === '' ? [] : [part.split('=')])))

const cases: readonly (readonly [PodSpec, string])[] = [
  [pod(['', '']), 'BestEffort'],
  [pod(['example.com/dongle=1', 'example.com/dongle=1']), 'BestEffort'],
  [pod(['cpu=1 memory=1Gi', 'cpu=1 memory=1Gi']), 'Guaranteed'],
  [pod(['cpu=1 memory=1Gi', 'cpu=1000m memory=1024Mi']), 'Guaranteed'],
  [pod(['cpu=1 memory=1Gi', 'cpu=1 memory=1Gi'], ['', '']), 'Burstable'],
  [pod(['cpu=1 memory=1Gi', 'cpu=500m memory=1Gi']), 'Burstable'],
  [pod(['', 'cpu=500m']), 'Burstable'],
  [{ ...pod(['', '']), resources: { limits: list('cpu=1 memory=1Gi'), requests: list('cpu=1 memory=1Gi') } }, 'Guaranteed'],
]

for (const [spec, expected] of cases)
  test(`resources are promised as firmly as requests and limits of CPU and memory agree: ${JSON.stringify(spec)}`, () =>
    assert.equal(qosClass(spec), expected, JSON.stringify(spec)))

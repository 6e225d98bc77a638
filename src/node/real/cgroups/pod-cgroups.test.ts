import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodSpec } from '../../../resources/types/core.ts'
import { pod } from '../../../testing/builders.ts'
import type { Pod } from '../../types/pod.ts'
import type { Cgroups } from './cgroup-files.ts'
import { PodCgroups, podAmounts } from './pod-cgroups.ts'

const amountsOf = (spec: PodSpec) => podAmounts(pod('p', { spec }) as Pod)
const container = (name: string, resources?: object) => ({ name, image: 'app', ...(resources && { resources }) })

test('a pod without requests gets the least of processors, whatever its RuntimeClass adds', () => {
  const spec = { containers: [container('main')], overhead: { cpu: '10m', memory: '8Mi' } }
  assert.deepEqual(amountsOf(spec), { cpuShares: 2, cpuPeriodUs: 100_000, cpuQuotaUs: -1, memoryLimitBytes: -1 })
})

test('a limit of the pod is there only if each container has one; what a RuntimeClass adds comes on top', () => {
  const limits = { cpu: '250m', memory: '64Mi' }
  const whole = { containers: [container('main', { limits, requests: limits })], overhead: { cpu: '50m' } }
  assert.deepEqual(amountsOf(whole), { cpuShares: 307, cpuPeriodUs: 100_000, cpuQuotaUs: 30_000, memoryLimitBytes: 64 * 2 ** 20 })
  assert.equal(amountsOf({ containers: [container('main', { limits }), container('free')] }).memoryLimitBytes, -1)
})

test('what still runs in the group of a pod that has gone is killed, and the group goes', () => {
  const groups = new Set(['/kubepods/podgone', '/kubepods/podkept'])
  const killed: string[] = []
  const cgroups: Cgroups = {
    version: 1,
    apply() {},
    read: () => undefined,
    remove: (group) => killed.includes(group) && groups.delete(group),
    kill: (group) => void killed.push(group),
    children: (folder) => (folder === '/kubepods' ? [...groups].map((group) => group.slice('/kubepods/'.length)) : []),
  }
  const pods = new PodCgroups(cgroups, '')
  pods.retain(new Set(['kept']))
  assert.deepEqual(killed, [])
  pods.removeBusy()
  assert.deepEqual([killed, [...groups]], [['/kubepods/podgone'], ['/kubepods/podkept']])
})

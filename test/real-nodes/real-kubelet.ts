import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestMachine } from './machine.ts'

/** What the real kubelet has to be told so that it runs on a machine of tests, beside what is told to ours. */
export const realKubeletSettings = ({ endpoint }: Pick<TestMachine, 'endpoint'>) => ({
  failCgroupV1: false,
  failSwapOn: false,
  cgroupDriver: 'cgroupfs',
  containerRuntimeEndpoint: endpoint,
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  registryPullQPS: 0,
  serializeImagePulls: false,
  port: 10_251,
})

/** The kernel's settings that a kubelet changes are copies here. */
export function coverKernelSettings(folder: string): void {
  const covers = path.join(folder, 'sysctl')
  mkdirSync(covers)
  const wanted = { 'vm/overcommit_memory': 1, 'vm/panic_on_oom': 0, 'kernel/panic': 10, 'kernel/panic_on_oops': 1 }
  for (const [name, value] of Object.entries({ ...wanted, 'kernel/keys/root_maxkeys': 1e6, 'kernel/keys/root_maxbytes': 25e6 })) {
    if (!existsSync(`/proc/sys/${name}`)) continue
    const file = path.join(covers, name.replaceAll('/', '_'))
    writeFileSync(file, `${value}\n`)
    execFileSync('mount', ['--bind', file, `/proc/sys/${name}`])
  }
}

/** A kubelet does not make its root; a group of version 1 has no processors before it is given some. */
export function prepareGroup(group: string): void {
  const top = '/sys/fs/cgroup'
  if (existsSync(path.join(top, 'cgroup.controllers'))) return
  for (const controller of readdirSync(top)) mkdirSync(path.join(top, controller, group), { recursive: true })
  const cpusets = path.join(top, 'cpuset')
  const parts = group.split('/').filter(Boolean)
  for (const [i] of parts.entries())
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const above = readFileSync(path.join(cpusets, ...parts.slice(0, i), file), 'utf8')
      writeFileSync(path.join(cpusets, ...parts.slice(0, i + 1), file), above)
    }
}

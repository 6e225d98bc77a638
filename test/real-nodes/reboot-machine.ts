import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mountPoints, podGroups, shims } from './leftovers.ts'
import type { TestMachine } from './machine.ts'

/** File systems in memory. */
const IN_MEMORY = ['/run/netns', '/run/containerd']
const BOOT_ID = '/proc/sys/kernel/random/boot_id'

/**
 * What a node sees of a reboot, once its agent has stopped: the processes of the runtime and of all pods, interfaces, rules, mounts and
 * control groups are gone, the boot id is another one, and its folders on disk are as they were. The runtime starts again.
 */
export async function rebootMachine(machine: TestMachine, folder: string): Promise<void> {
  await machine.stopContainerd()
  const groups = podGroups(machine.cgroupRoot).flatMap(groupsIn)
  await killAll(() => [...shims(), ...groups.flatMap(processesOf)])
  for (const at of ['/var/lib/kubelet', ...IN_MEMORY]) unmountBelow(at)
  for (const at of IN_MEMORY) {
    run('umount', '-l', at)
    run('mount', '-t', 'tmpfs', 'tmpfs', at)
  }
  // Interfaces of pods went with their network namespaces, or go in a moment.
  removeLink('cni0')
  run('nft', 'flush', 'ruleset')
  for (const group of groups) rmdirSync(group)
  const id = randomUUID()
  const file = path.join(folder, `boot-${id}`)
  writeFileSync(file, `${id}\n`)
  run('mount', '--bind', file, BOOT_ID)
  await machine.startContainerd()
}

const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })

/** What was mounted last goes first. */
function unmountBelow(folder: string): void {
  for (const at of mountPoints().toReversed()) if (at.startsWith(`${folder}/`)) run('umount', '-l', at)
}

function removeLink(name: string): void {
  if (existsSync(`/sys/class/net/${name}`)) run('ip', 'link', 'del', name)
}

/** A control group and all below it, the innermost first. */
function groupsIn(group: string): readonly string[] {
  if (!existsSync(group)) return []
  const below = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [...below.flatMap(({ name }) => groupsIn(path.join(group, name))), group]
}

const processesOf = (group: string) => readFileSync(path.join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)

async function killAll(find: () => readonly string[]): Promise<void> {
  for (let pids = find(); pids.length > 0; pids = find()) {
    for (const pid of pids) kill(Number(pid))
    await sleep(20)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { waitFor } from '../../src/testing/wait-for.ts'
import type { FoundRuntime } from './found-runtime.ts'
import { ownGroup, spawnInNamespaces } from './in-namespaces.ts'
import type { Outcome } from './in-pod.ts'
import { ctrOf, openMachine, type TestMachine } from './machine.ts'
import { openOutside, plugIn } from './outside.ts'

/** What is needed of a machine that this process may not be on. */
export type ReachedMachine = Pick<TestMachine, 'endpoint' | 'cniFolder' | 'cgroupRoot' | 'ctr' | 'enter'> & {
  readonly folder: string
  readonly ip: string
}

export interface TwoMachines {
  /** `node-1`, on which this process is, and `node-2`. Neither has a list of network plugins. */
  readonly machines: readonly [ReachedMachine, ReachedMachine]
  /** Runs a shell command on a third machine, beside them. */
  readonly outside: (command: string) => Promise<Outcome>
}

/** Two machines with containerd on one network. Both go with this process, which is in namespaces of its own already. */
export async function openTwoMachines(folder: string, found: FoundRuntime): Promise<TwoMachines> {
  const folders = [path.join(folder, 'node-1'), path.join(folder, 'node-2')] as const
  for (const own of folders) mkdirSync(own)
  const first = await openMachine(folders[0], found, { network: false })
  const outside = await openOutside()
  const cgroupRoot = path.join(ownGroup(), 'node-2')
  const holder = spawnInNamespaces(path.join(import.meta.dirname, 'hold-machine.ts'), [folders[1], '2'], cgroupRoot)
  await waitFor(
    () => {
      if (holder.exitCode !== null) throw new Error(`the second machine did not start: see ${folders[1]}`)
      return existsSync(path.join(folders[1], 'opened'))
    },
    { timeoutMs: 60_000 },
  )
  const pid = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim()
  const enter = ['nsenter', '-t', pid, '-m', '-n', '-u', '-i', '-p', '--']
  // The place beside the machines is known by its name only in this mount namespace.
  plugIn(['nsenter', '-t', pid, '-n', '--'], 'outside-2')
  const second = { endpoint: first.endpoint, cniFolder: path.join(folders[1], 'cni.d'), cgroupRoot, ctr: ctrOf(found, enter), enter }
  return {
    machines: [
      { ...first, folder: folders[0], ip: '192.0.2.11' },
      { ...second, folder: folders[1], ip: '192.0.2.12' },
    ],
    outside,
  }
}

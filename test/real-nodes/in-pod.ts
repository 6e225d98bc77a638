import { execFile } from 'node:child_process'
import type { Pod } from '../../src/resources/types/core.ts'
import type { TestMachine } from './machine.ts'

export interface Outcome {
  readonly out: string
  readonly code: number
}

/**
 * Runs a shell command with the programs of this machine (curl, for one) in the network of a pod, with the pod's names: what a program in
 * its containers would be told.
 */
export function runInPod(machine: Pick<TestMachine, 'ctr' | 'enter'>, { metadata, status }: Pod, command: string): Promise<Outcome> {
  const id = status?.containerStatuses?.[0]?.containerID?.replace(/^\w+:\/\//, '') ?? ''
  const [, pid] = machine.ctr('tasks', 'ls').match(new RegExp(`^${id}\\s+(\\d+)`, 'm')) ?? []
  if (pid === undefined) throw new Error(`pod ${metadata.name} has no process`)
  // The kernel does not bind files of another mount namespace: a file system of its own holds copies.
  const names = ['resolv.conf', 'hosts'].map((file) => `cp /proc/${pid}/root/etc/${file} /mnt/ && mount --bind /mnt/${file} /etc/${file}`)
  return runShell([
    ...machine.enter,
    'nsenter',
    '-t',
    pid,
    '-n',
    'unshare',
    '--mount',
    'sh',
    '-c',
    `mount -t tmpfs tmpfs /mnt && ${names.join(' && ')} && ${command}`,
  ])
}

/** Runs a shell command on the node. */
export const runOnNode = (command: string, { enter }: Pick<TestMachine, 'enter'> = { enter: [] }): Promise<Outcome> =>
  runShell([...enter, 'sh', '-c', command])

function runShell([program = '', ...args]: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) =>
    execFile(program, args, { encoding: 'utf8', timeout: 60_000 }, (error, stdout) =>
      resolve({ out: stdout.trim(), code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1 }),
    ),
  )
}

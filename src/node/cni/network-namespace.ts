import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ip = (...args: readonly string[]) => run('ip', [...args])

/** Where the network namespace of a pod is, if it has one. Other threads find it by this path alone. */
export const namespacePathOf = (podUid: string): string => `/run/netns/${nameOf(podUid)}`

const nameOf = (podUid: string) => `bowsprit-${podUid}`

/** Makes the network namespace of a pod, with loopback; as in containers, every user may listen on all of its ports. Needs root. */
export async function makeNamespace(podUid: string): Promise<void> {
  const name = nameOf(podUid)
  if (!existsSync(namespacePathOf(podUid))) await ip('netns', 'add', name)
  await ip('-n', name, 'link', 'set', 'lo', 'up')
  await ip('netns', 'exec', name, 'sh', '-c', 'echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start')
}

export async function removeNamespace(podUid: string): Promise<void> {
  if (existsSync(namespacePathOf(podUid))) await ip('netns', 'del', nameOf(podUid))
}

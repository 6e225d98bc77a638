import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { TestMachine } from './machine.ts'

const KUBELET = '/var/lib/kubelet'
const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])
const lines = (text: string) => text.split('\n').filter((line) => line !== '')

/** What a machine has of pods, by kind. Without pods each list is empty. */
export function leftoversOf(machine: TestMachine): Readonly<Record<string, readonly string[]>> {
  return {
    'containers and sandboxes': lines(machine.ctr('containers', 'ls', '-q')),
    tasks: lines(machine.ctr('tasks', 'ls', '-q')),
    shims: shims().map((pid) => `${pid} ${commandOf(pid).replaceAll('\0', ' ')}`),
    'network namespaces': namesIn('/run/netns'),
    interfaces: lines(execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' })).filter((line) => / veth/.test(line)),
    addresses: namesIn('/var/lib/cni/networks').flatMap((network) =>
      namesIn(path.join('/var/lib/cni/networks', network)).filter((name) => !/^(last_reserved_ip|lock)/.test(name)),
    ),
    'results of network plugins': namesIn('/var/lib/cni/results'),
    'ports of the node': portRules(),
    mounts: mountPoints().filter((at) => at.startsWith(`${KUBELET}/`)),
    'control groups': groupsOf(machine.cgroupRoot),
    'folders of pods': namesIn(`${KUBELET}/pods`),
    'staged volumes': stagedVolumes(),
    logs: [...namesIn('/var/log/pods'), ...namesIn('/var/log/containers')],
  }
}

/** The processes of the runtime that keep containers. */
export const shims = (): readonly string[] =>
  namesIn('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes('containerd-shim'))

/**
 * The sandboxes whose shims containerd loses itself, by its log: its client was killed while it started the sandbox or a container there.
 * It does not know such a shim any more, whatever its clients ask for; the real kubelet's are left too.
 */
export function lostSandboxes(containerdLog: string): ReadonlySet<string> {
  const lost = new Set<string>()
  const sandboxOf = new Map<string, string>()
  for (const line of containerdLog.split('\n')) {
    const ids = line.match(/\b[0-9a-f]{64}\b/g) ?? []
    const [sandbox, container] = ids
    if (sandbox && container && line.includes('returns container id')) sandboxOf.set(container, sandbox)
    if (/(RunPodSandbox|StartContainer) for .* failed.*(context canceled|signal: killed)/.test(line))
      for (const id of ids) lost.add(sandboxOf.get(id) ?? id)
  }
  return lost
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}

export const mountPoints = () =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')

/** Of the plugin portmap; by now it writes nftables through iptables, or itself. */
function portRules(): readonly string[] {
  const rules = execFileSync('nft', ['list', 'ruleset'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return lines(rules).filter((line) => /chain CNI-DN-/.test(line))
}

/** The groups of all pods: those of version 1 are below each controller, that of version 2 below the root. */
export function podGroups(cgroupRoot: string): readonly string[] {
  const root = '/sys/fs/cgroup'
  const tops = existsSync(path.join(root, 'cgroup.controllers')) ? [''] : namesIn(root)
  return tops.map((top) => path.join(root, top, cgroupRoot, 'kubepods'))
}

function groupsOf(cgroupRoot: string): readonly string[] {
  const folders = podGroups(cgroupRoot).flatMap((pods) => [pods, path.join(pods, 'besteffort'), path.join(pods, 'burstable')])
  return folders.flatMap((folder) => namesIn(folder).filter((name) => name.startsWith('pod')))
}

function stagedVolumes(): readonly string[] {
  const top = `${KUBELET}/plugins/kubernetes.io`
  return namesIn(top).flatMap((kind) =>
    readdirSync(path.join(top, kind), { recursive: true, encoding: 'utf8' }).filter((entry) =>
      /(vol_data\.json|\/mounts\/[^/]+)$/.test(entry),
    ),
  )
}

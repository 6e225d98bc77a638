import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { hasCode } from '../../../base/has-code.ts'
import { readText } from '../../../base/read-text.ts'

/** Amounts of a control group; absent: as its parent. */
export interface CgroupAmounts {
  readonly cpuShares?: number
  readonly cpuQuotaUs?: number
  readonly cpuPeriodUs?: number
  readonly memoryLimitBytes?: number
  readonly pidsLimit?: number
}

/** The control groups of this machine, by paths from the root of the hierarchy on (`/kubepods/burstable`). */
export interface Cgroups {
  readonly version: 1 | 2
  /** Makes it, or changes its amounts. */
  apply(group: string, amounts: CgroupAmounts): void
  /** Its limit (-1: none), as the kernel reports it; undefined: there is no such group. */
  read(group: string): CgroupAmounts | undefined
  /** Removes it with those below it. False: what still has processes stays. */
  remove(group: string): boolean
  /** Kills what runs in it, and in those below it. */
  kill(group: string): void
  /** The names of those directly below it. */
  children(group: string): readonly string[]
}

/** `root` is where they are mounted. */
export function openCgroups(root = '/sys/fs/cgroup'): Cgroups {
  return existsSync(path.join(root, 'cgroup.controllers')) ? version2(root) : version1(root)
}

function version2(root: string): Cgroups {
  const at = (group: string) => path.join(root, group)
  return {
    version: 2,
    apply(group, amounts) {
      const parents = group.split('/').filter(Boolean)
      for (let i = 0; i < parents.length; i++) passControllers(at(parents.slice(0, i).join('/')))
      mkdirSync(at(group), { recursive: true })
      for (const [file, value] of files2(amounts)) put(path.join(at(group), file), value)
    },
    read(group) {
      const file = (name: string) => readText(path.join(at(group), name))?.trim()
      const [weight, memory] = [file('cpu.weight'), file('memory.max')]
      if (weight === undefined || memory === undefined) return undefined
      const [quota = 'max', period = '100000'] = (file('cpu.max') ?? '').split(' ')
      return {
        cpuShares: sharesOfWeight(Number(weight)),
        cpuQuotaUs: quota === 'max' ? -1 : Number(quota),
        cpuPeriodUs: Number(period),
        memoryLimitBytes: memory === 'max' ? -1 : Number(memory),
      }
    },
    remove: (group) => removeTree(at(group)),
    kill: (group) => killTree(at(group)),
    children: (group) => folders(at(group)),
  }
}

/** Groups below may only limit what those above pass on. */
function passControllers(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const wanted = ['cpu', 'cpuset', 'memory', 'pids', 'hugetlb', 'io']
  const present = new Set((readText(path.join(folder, 'cgroup.controllers')) ?? '').trim().split(' '))
  for (const name of wanted) if (present.has(name)) put(path.join(folder, 'cgroup.subtree_control'), `+${name}`)
}

function files2({
  cpuShares,
  cpuQuotaUs,
  cpuPeriodUs,
  memoryLimitBytes,
  pidsLimit,
}: CgroupAmounts): readonly (readonly [string, string])[] {
  return [
    ...(cpuShares === undefined ? [] : [['cpu.weight', String(weightOf(cpuShares))] as const]),
    ...(cpuQuotaUs === undefined ? [] : [['cpu.max', `${cpuQuotaUs < 0 ? 'max' : cpuQuotaUs} ${cpuPeriodUs ?? 100_000}`] as const]),
    ...(memoryLimitBytes === undefined ? [] : [['memory.max', memoryLimitBytes < 0 ? 'max' : String(memoryLimitBytes)] as const]),
    ...(pidsLimit === undefined ? [] : [['pids.max', pidsLimit < 0 ? 'max' : String(pidsLimit)] as const]),
  ]
}

/** Shares (2 to 262144) as a weight (1 to 10000), by runc's formula. */
function weightOf(shares: number): number {
  if (shares <= 2) return 1
  if (shares >= 262_144) return 10_000
  const l = Math.log2(shares)
  return Math.ceil(10 ** ((l * l + 125 * l) / 612 - 7 / 34))
}

/** The shares that have this weight. */
function sharesOfWeight(weight: number): number {
  if (weight <= 1) return 2
  return Math.round(2 ** ((-125 + Math.sqrt(15_625 + 2448 * (Math.log10(weight) + 7 / 34))) / 2))
}

/** Version 1 shows memory without a limit as the largest number of whole pages. */
const UNLIMITED_BYTES = 2 ** 62

const CONTROLLERS = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'hugetlb', 'blkio', 'devices', 'freezer', 'systemd'] as const

function version1(root: string): Cgroups {
  // Controllers that are mounted together are links to one folder.
  const mounted = CONTROLLERS.filter((name) => existsSync(path.join(root, name)))
  // Runtimes make groups in others too: where version 2 is mounted beside, and of controllers that have no amounts here.
  const all = folders(root)
  return {
    version: 1,
    apply(group, amounts) {
      for (const name of mounted) mkdirSync(path.join(root, name, group), { recursive: true })
      if (mounted.includes('cpuset')) inheritCpus(path.join(root, 'cpuset'), group)
      for (const [controller, file, value] of files1(amounts))
        if (mounted.includes(controller)) put(path.join(root, controller, group, file), value)
    },
    read(group) {
      const file = (controller: string, name: string) => {
        const text = readText(path.join(root, controller, group, name))
        return text === undefined ? undefined : Number(text)
      }
      const memory = file('memory', 'memory.limit_in_bytes')
      const cpuShares = file('cpu', 'cpu.shares')
      if (memory === undefined || cpuShares === undefined) return undefined
      return {
        cpuShares,
        cpuQuotaUs: file('cpu', 'cpu.cfs_quota_us') ?? -1,
        cpuPeriodUs: file('cpu', 'cpu.cfs_period_us') ?? 100_000,
        memoryLimitBytes: memory > UNLIMITED_BYTES ? -1 : memory,
      }
    },
    remove: (group) => all.map((name) => removeTree(path.join(root, name, group))).every(Boolean),
    kill(group) {
      for (const name of all) killTree(path.join(root, name, group))
    },
    children: (group) => [...new Set(all.flatMap((name) => folders(path.join(root, name, group))))],
  }
}

type File1 = readonly [controller: (typeof CONTROLLERS)[number], file: string, value: string]

function files1({ cpuShares, cpuQuotaUs, cpuPeriodUs, memoryLimitBytes, pidsLimit }: CgroupAmounts): readonly File1[] {
  const amounts: readonly (readonly [controller: File1[0], file: string, value: number | undefined])[] = [
    ['cpu', 'cpu.shares', cpuShares],
    ['cpu', 'cpu.cfs_period_us', cpuPeriodUs],
    ['cpu', 'cpu.cfs_quota_us', cpuQuotaUs],
    ['memory', 'memory.limit_in_bytes', memoryLimitBytes],
  ]
  const given = amounts.flatMap(([controller, file, value]): File1[] => (value === undefined ? [] : [[controller, file, String(value)]]))
  return pidsLimit === undefined ? given : [...given, ['pids', 'pids.max', pidsLimit < 0 ? 'max' : String(pidsLimit)]]
}

/** A new group has no processors until it is given some: those of the group above. */
function inheritCpus(root: string, group: string): void {
  const parts = group.split('/').filter(Boolean)
  for (const [i] of parts.entries()) {
    const [parent, own] = [path.join(root, ...parts.slice(0, i)), path.join(root, ...parts.slice(0, i + 1))]
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      if ((readText(path.join(own, file)) ?? '').trim() === '') put(path.join(own, file), (readText(path.join(parent, file)) ?? '').trim())
  }
}

/** A kernel without that controller has no such file. */
function put(file: string, value: string): void {
  if (existsSync(file)) writeFileSync(file, value)
}

function folders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return []
  }
}

/** The files of a group cannot be removed, and go with it. False: a process still runs in it. */
function removeTree(folder: string): boolean {
  for (const name of folders(folder)) removeTree(path.join(folder, name))
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return hasCode(error, 'ENOENT')
  }
}

function killTree(folder: string): void {
  for (const name of folders(folder)) killTree(path.join(folder, name))
  const pids = (readText(path.join(folder, 'cgroup.procs')) ?? '').split('\n').map(Number)
  // Processes of other process namespaces are shown as 0, which would be the group of this one.
  for (const pid of pids) if (pid > 0) killProcess(pid)
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

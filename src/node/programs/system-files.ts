import type { Clock } from '../../base/clock.ts'
import type { Machine } from '../../shell/processes/process.ts'
import type { ContainerResources } from '../runtime/container-spec.ts'
import type { FileSystem, MountPoint } from '../volumes/file-system.ts'
import { type Directory, directory, type FileNode, type FileTree, regularFile, symbolicLink } from '../volumes/file-tree.ts'
import type { ProcessList } from './process-list.ts'
import { SHIPPED_COMMANDS } from './shipped/shipped-programs.ts'

/** The content of `/proc` and `/sys`. */
export interface SystemView {
  readonly machine: Machine
  readonly processes: ProcessList
  readonly clock: Clock
  readonly hostname: string
  /** As they hold now. */
  readonly resources: () => ContainerResources
  /** How its main process is to be chosen when memory runs out. */
  readonly oomScore: number
  /** No program gives its process more rights than it began with (`allowPrivilegeEscalation: false`). */
  readonly noNewPrivileges: boolean
  /** Parameters of the kernel, by their names with dots. */
  readonly parameters: ReadonlyMap<string, string>
}

const FOLDERS =
  '/etc /home /lib /media /mnt /opt /root /run /srv /tmp /usr/bin /usr/lib /usr/local/bin /usr/sbin /usr/share /sbin /var/cache /var/lib /var/log /var/run /var/tmp /dev/shm'
/** Files that every image has. */
export const BASE_FILES: Readonly<Record<string, string>> = {
  '/etc/passwd': 'root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/usr/sbin:/bin/false\nnobody:x:65534:65534:nobody:/home:/bin/false\n',
  '/etc/group': 'root:x:0:\ndaemon:x:1:\ntty:x:5:\nnobody:x:65534:\n',
  '/etc/os-release': 'NAME="Bowsprit simulated container"\nID=bowsprit\nPRETTY_NAME="Bowsprit simulated container"\n',
  '/etc/nsswitch.conf': 'hosts: files dns\n',
  '/etc/shells': '/bin/sh\n',
}
const DEVICES = ['null', 'zero', 'random', 'urandom', 'full', 'tty']

/** Lays down what every container finds in its own files. */
export function layBase(files: FileSystem, workingDir: string): void {
  for (const folder of [...FOLDERS.split(' '), workingDir]) files.makeDirectory(folder, { recursive: true })
  for (const folder of ['/tmp', '/var/tmp', '/dev/shm']) files.change(folder, { mode: 0o1777 })
  for (const [file, text] of Object.entries(BASE_FILES)) files.write(file, Buffer.from(text))
  for (const name of DEVICES) files.write(`/dev/${name}`, new Uint8Array(), { mode: 0o666 })
  for (const [i, name] of ['stdin', 'stdout', 'stderr'].entries()) files.link(`/proc/self/fd/${i}`, `/dev/${name}`)
}

/** Signs of the programs that every container has: they are empty; running one runs the program. One for all containers. */
const PROGRAMS: FileTree = {
  root: folderOf(() => [...SHIPPED_COMMANDS].map((name) => [name, regularFile(new Uint8Array(), { mode: 0o755 })])),
  space: { usedBytes: 0, limitBytes: 0 },
}

/** The programs, `/proc` and `/sys`, but where the image brings files of its own there. */
export function systemMounts(imageFiles: readonly string[], view: () => SystemView | undefined): readonly MountPoint[] {
  const tree = (root: Directory): FileTree => ({ root, space: { usedBytes: 0, limitBytes: 0 } })
  const mounts: MountPoint[] = []
  const add = (path: string, kind: string, of: FileTree) => {
    if (!imageFiles.some((file) => file.startsWith(`${path}/`))) mounts.push({ path, node: of.root, tree: of, readOnly: true, kind })
  }
  add('/bin', 'overlay', PROGRAMS)
  add('/proc', 'proc', tree(folderOf(() => processFiles(view()))))
  const limits = folderOf(() => limitFiles(view()))
  add('/sys', 'sysfs', tree(folderOf(() => [['fs', folderOf(() => [['cgroup', limits]])]])))
  add('/sys/fs/cgroup', 'cgroup2', tree(limits))
  return mounts
}

type Entries = readonly (readonly [string, FileNode])[]

/** A folder whose entries are computed when it is read. */
function folderOf(entries: () => Entries): Directory {
  return Object.defineProperty(directory({ mode: 0o555 }), 'entries', { get: () => new Map(entries()) })
}

const file = (text: string): FileNode => regularFile(Buffer.from(text), { mode: 0o444 })
const texts = (files: Readonly<Record<string, string>>): Entries => Object.entries(files).map(([name, text]) => [name, file(text)])

function processFiles(view: SystemView | undefined): Entries {
  if (view === undefined) return []
  const { machine, clock, hostname, oomScore, noNewPrivileges, parameters } = view
  const seconds = (clock.now() - machine.startedAtMs) / 1000
  const kib = Math.floor(machine.memoryBytes / 1024)
  const mounts = machine.mounts().map((m) => `${m.source} ${m.path} ${m.kind} ${m.readOnly ? 'ro' : 'rw'},relatime 0 0\n`)
  const cpu = (n: number) => `processor\t: ${n}\nvendor_id\t: Simulated\nmodel name\t: simulated\ncpu MHz\t\t: 2000.000\n\n`
  const processes = machine.processes().map(({ pid, argv }): readonly [string, FileNode] => {
    const name = (argv[0] ?? '').split('/').at(-1) ?? ''
    const own = texts({
      cmdline: argv.map((word) => `${word}\0`).join(''),
      comm: `${name.slice(0, 15)}\n`,
      status: `Name:\t${name}\nState:\tS (sleeping)\nPid:\t${pid}\nPPid:\t0\nThreads:\t1\nNoNewPrivs:\t${Number(noNewPrivileges)}\n`,
      mounts: mounts.join(''),
      cgroup: '0::/\n',
      oom_score_adj: `${oomScore}\n`,
    })
    return [String(pid), folderOf(() => [...own, ['root', directory({ mode: 0o755 })]])]
  })
  return [
    ...processes,
    ['self', symbolicLink(String(view.processes.own().at(-1)?.pid ?? 1))],
    ...texts({
      cpuinfo: Array.from({ length: Math.min(Math.ceil(machine.cpus), 1024) }, (_, n) => cpu(n)).join(''),
      meminfo: [
        `MemTotal:       ${kib} kB`,
        `MemFree:        ${kib} kB`,
        `MemAvailable:   ${kib} kB`,
        'SwapTotal:      0 kB',
        'SwapFree:       0 kB',
        '',
      ].join('\n'),
      uptime: `${seconds.toFixed(2)} ${seconds.toFixed(2)}\n`,
      loadavg: `0.00 0.00 0.00 1/${processes.length} ${processes.length}\n`,
      version: 'Linux version 6.1.0-simulated\n',
      mounts: mounts.join(''),
      filesystems: 'nodev\toverlay\nnodev\ttmpfs\n\text4\n',
    }),
    [
      'sys',
      parameterFiles(
        new Map([...parameters, ['kernel.hostname', hostname], ['kernel.ostype', 'Linux'], ['kernel.osrelease', '6.1.0-simulated']]),
      ),
    ],
  ]
}

/** `/proc/sys`: a folder for each part of a name. */
function parameterFiles(parameters: ReadonlyMap<string, string>): FileNode {
  const own = [...parameters].filter(([name]) => !name.includes('.')).map(([name, value]) => [name, file(`${value}\n`)] as const)
  const groups = Map.groupBy(
    [...parameters].filter(([name]) => name.includes('.')),
    ([name]) => name.slice(0, name.indexOf('.')),
  )
  const below = [...groups].map(([group, members]) => {
    const rest = new Map(members.map(([name, value]) => [name.slice(group.length + 1), value]))
    return [group, parameterFiles(rest)] as const
  })
  return folderOf(() => [...own, ...below])
}

const MOST_SHARES = 262_142

/** The limits of the container, as version 2 of control groups shows them. */
function limitFiles(view: SystemView | undefined): Entries {
  if (view === undefined) return []
  const { cpuShares = 1024, cpuQuotaUs = 0, cpuPeriodUs = 100_000, memoryLimitBytes } = view.resources()
  const processes = view.processes.own()
  return texts({
    'cgroup.controllers': 'cpuset cpu io memory hugetlb pids\n',
    'cgroup.procs': processes.map(({ pid }) => `${pid}\n`).join(''),
    'cpu.max': `${cpuQuotaUs > 0 ? cpuQuotaUs : 'max'} ${cpuPeriodUs}\n`,
    'cpu.weight': `${1 + Math.floor((Math.max(0, cpuShares - 2) * 9999) / MOST_SHARES)}\n`,
    'cpu.stat': 'usage_usec 0\nuser_usec 0\nsystem_usec 0\n',
    'memory.max': `${memoryLimitBytes !== undefined && memoryLimitBytes > 0 ? memoryLimitBytes : 'max'}\n`,
    'memory.current': `${processes.length * 1024 * 1024}\n`,
    'memory.swap.max': '0\n',
    'pids.max': 'max\n',
    'pids.current': `${processes.length}\n`,
  })
}

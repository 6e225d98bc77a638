import type { MountStatus, Process, Program, RunningProcess } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { readCommandLine } from './command-line.ts'

const REFRESH_MS = 5000
/** The reported memory of a process, which is not measured. */
const HELD_KIB = 1024

async function print({ stdout }: Process, lines: readonly string[]): Promise<number> {
  await writeText(stdout, lines.map((line) => `${line}\n`).join(''))
  return 0
}

const commandOf = ({ argv }: RunningProcess) => argv.join(' ').replaceAll('\n', ' ')
const clockOf = (ms: number) => new Date(ms).toISOString().slice(11, 16)
const userOf = ({ uid }: RunningProcess) => (uid === 0 ? 'root' : String(uid))

/** `ps` as busybox prints it; with `aux` and `-ef` as procps does. */
const ps: Program = (process) => {
  const flags = process.argv.slice(1).join('').replaceAll('-', '')
  const running = process.container.machine.processes()
  if (/[aux]{2,}/.test(flags))
    return print(process, [
      'USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND',
      ...running.map(
        (p) =>
          `${userOf(p).padEnd(8)} ${String(p.pid).padStart(7)}  0.0  0.0 ${String(HELD_KIB).padStart(6)} ${String(HELD_KIB).padStart(5)} ?        Ss   ${clockOf(p.startedAtMs)}   0:00 ${commandOf(p)}`,
      ),
    ])
  if (/[ef]/.test(flags))
    return print(process, [
      'UID          PID    PPID  C STIME TTY          TIME CMD',
      ...running.map(
        (p) => `${userOf(p).padEnd(8)} ${String(p.pid).padStart(7)}       0  0 ${clockOf(p.startedAtMs)} ?        00:00:00 ${commandOf(p)}`,
      ),
    ])
  return print(process, [
    'PID   USER     TIME  COMMAND',
    ...running.map((p) => `${String(p.pid).padStart(5)} ${userOf(p).padEnd(8)}  0:00 ${commandOf(p)}`),
  ])
}

function memory({ container: { machine } }: Process): { readonly total: number; readonly used: number; readonly free: number } {
  const total = Math.floor(machine.memoryBytes / 1024)
  const used = machine.processes().length * HELD_KIB
  return { total, used, free: Math.max(0, total - used) }
}

const top: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'bH', 'nd')
  const rounds = Number(line.value('n') ?? (process.stdin.terminal === undefined || line.has('b') ? 1 : Number.POSITIVE_INFINITY))
  for (let round = 1; ; round++) {
    const { used, free } = memory(process)
    const { processes } = process.container.machine
    if (process.stdin.terminal !== undefined && !line.has('b')) await writeText(process.stdout, '\x1b[H\x1b[J')
    await print(process, [
      `Mem: ${used}K used, ${free}K free, 0K shrd, 0K buff, 0K cached`,
      'CPU:   0% usr   0% sys   0% nic 100% idle   0% io   0% irq   0% sirq',
      `Load average: 0.00 0.00 0.00 1/${processes().length} ${process.pid}`,
      '  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND',
      ...processes().map(
        (p) => `${String(p.pid).padStart(5)}     0 ${userOf(p).padEnd(8)} S     ${HELD_KIB}   0%   0   0% ${commandOf(p)}`,
      ),
    ])
    if (round >= rounds) return 0
    await process.clock.sleep(Number(line.value('d')) * 1000 || REFRESH_MS, process.signal)
  }
}

function sized(bytes: number): string {
  const units = ['', 'K', 'M', 'G', 'T']
  let [value, at] = [bytes, 0]
  for (; value >= 1024 && at < units.length - 1; at++) value /= 1024
  return `${value >= 10 || at === 0 ? Math.round(value) : value.toFixed(1)}${units[at]}`
}

const df: Program = (process) => {
  const line = readCommandLine(process.argv.slice(1), 'hkmPTai')
  const [path] = line.words
  const all = process.container.machine.mounts().filter((m) => line.has('a') || m.limitBytes > 0)
  const holding = (at: string) =>
    all.filter((m) => `${at}/`.startsWith(m.path === '/' ? '/' : `${m.path}/`)).sort((a, b) => b.path.length - a.path.length)[0]
  const found = path === undefined ? all : [holding(path)].filter((m): m is MountStatus => m !== undefined)
  const unit = line.has('m') ? 1 << 20 : 1024
  const show = (bytes: number) => (line.has('h') ? sized(bytes) : String(Math.ceil(bytes / unit)))
  return print(process, [
    `Filesystem           ${line.has('h') ? '     Size' : line.has('m') ? '1M-blocks' : '1K-blocks'}      Used Available Use% Mounted on`,
    ...found.map(({ source, path: at, usedBytes, limitBytes }) => {
      const share = limitBytes === 0 ? 0 : Math.ceil((usedBytes / limitBytes) * 100)
      const free = Math.max(0, limitBytes - usedBytes)
      return `${source.padEnd(20)} ${show(limitBytes).padStart(9)} ${show(usedBytes).padStart(9)} ${show(free).padStart(9)} ${String(share).padStart(3)}% ${at}`
    }),
  ])
}

/** `sysctl NAME`, `-n` for its value alone. It changes none. */
const sysctl: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'na')
  let status = 0
  for (const name of line.words) {
    const path = `/proc/sys/${name.replaceAll('.', '/')}`
    const value = (await process.files.status(path))?.kind === 'file' ? new TextDecoder().decode(await process.files.read(path)) : undefined
    if (value !== undefined) await writeText(process.stdout, line.has('n') ? value : `${name} = ${value}`)
    else {
      await writeText(process.stderr, `sysctl: error: '${name}' is an unknown key\n`)
      status = 1
    }
  }
  return status
}

const mount: Program = (process) => {
  const line = readCommandLine(process.argv.slice(1), '', 't')
  if (line.words.length > 0) throw new Error('permission denied: a simulated container mounts nothing')
  const kind = line.value('t')
  return print(
    process,
    process.container.machine
      .mounts()
      .filter((m) => kind === undefined || m.kind === kind)
      .map((m) => `${m.source} on ${m.path} type ${m.kind} (${m.readOnly ? 'ro' : 'rw'},relatime)`),
  )
}

const free: Program = (process) => {
  const line = readCommandLine(process.argv.slice(1), 'bkmgh')
  const divisor = line.has('b') ? 1 / 1024 : line.has('m') ? 1024 : line.has('g') ? 1 << 20 : 1
  const { total, used, free: left } = memory(process)
  const cell = (kib: number) => (line.has('h') ? sized(kib * 1024) : String(Math.floor(kib / divisor))).padStart(12)
  return print(process, [
    '              total        used        free      shared  buff/cache   available',
    `Mem:   ${[total, used, left, 0, 0, left].map(cell).join('')}`,
    `Swap:  ${[0, 0, 0].map(cell).join('')}`,
  ])
}

const uptime: Program = (process) => {
  const { machine } = process.container
  const seconds = Math.floor((process.clock.now() - machine.startedAtMs) / 1000)
  const [days, rest] = [Math.floor(seconds / 86_400), seconds % 86_400]
  const hours = `${Math.floor(rest / 3600)}:${String(Math.floor(rest / 60) % 60).padStart(2, '0')}`
  const now = new Date(process.clock.now()).toISOString().slice(11, 19)
  return print(process, [` ${now} up ${days > 0 ? `${days} days, ` : ''}${hours},  0 users,  load average: 0.00, 0.00, 0.00`])
}

/** Those whose program, or with `-f` whose whole command line, fits. */
function matching(process: Process, wanted: string, whole: boolean): readonly RunningProcess[] {
  const fits = (p: RunningProcess) => (whole ? commandOf(p).includes(wanted) : (p.argv[0] ?? '').split('/').at(-1) === wanted)
  return process.container.machine.processes().filter((p) => p.pid !== process.pid && fits(p))
}

function signalling(name: 'pkill' | 'killall'): Program {
  return (process) => {
    const args = process.argv.slice(1)
    const signal = args.find((a) => /^-[A-Z0-9]+$/.test(a))?.slice(1) ?? 'TERM'
    const wanted = args.find((a) => !a.startsWith('-')) ?? ''
    const found = matching(process, wanted, name === 'pkill' && args.includes('-f'))
    for (const { pid } of found) process.container.send(pid, signal)
    return Number(found.length === 0)
  }
}

const naming =
  (separator: string): Program =>
  async (process) => {
    const args = process.argv.slice(1)
    const found = matching(process, args.find((a) => !a.startsWith('-')) ?? '', args.includes('-f'))
    if (found.length > 0) await writeText(process.stdout, `${found.map((p) => p.pid).join(separator)}\n`)
    return Number(found.length === 0)
  }

/** Programs that look at processes, memory, disks and addresses. */
export const machine: Readonly<Record<string, Program>> = {
  ps,
  top,
  df,
  mount,
  sysctl,
  free,
  uptime,
  pgrep: naming('\n'),
  pidof: naming(' '),
  pkill: signalling('pkill'),
  killall: signalling('killall'),
  nproc: (process) => print(process, [String(process.container.machine.cpus)]),
  ip: (process) => {
    const [what = 'addr', verb = 'show'] = process.argv.slice(1).filter((a) => !a.startsWith('-'))
    // A container without privileges may look, and change nothing.
    if (/^(a|ad|add|d|de|del|delete|s|se|set|c|ch|change|replace|flush)$/.test(verb))
      throw new Error('RTNETLINK answers: Operation not permitted')
    const { ips } = process.container.machine
    if ('route'.startsWith(what) && what !== '')
      return print(process, ['default via 169.254.1.1 dev eth0', '169.254.1.1 dev eth0 scope link'])
    const link = (n: number, name: string, flags: string, lines: readonly string[]) => [
      `${n}: ${name}: <${flags},UP,LOWER_UP> mtu 1500 qdisc noqueue state UP`,
      ...lines,
    ]
    const address = (ip: string) => `    ${ip.includes(':') ? 'inet6' : 'inet'} ${ip}/${ip.includes(':') ? 128 : 32} scope global eth0`
    return print(process, [
      ...link(1, 'lo', 'LOOPBACK', ['    inet 127.0.0.1/8 scope host lo', '    inet6 ::1/128 scope host']),
      ...link(2, 'eth0', 'BROADCAST,MULTICAST', ips.map(address)),
    ])
  },
  ifconfig: (process) =>
    print(process, [
      'eth0      Link encap:Ethernet',
      ...process.container.machine.ips.map((ip) =>
        ip.includes(':')
          ? `          inet6 addr: ${ip}/128 Scope:Global`
          : `          inet addr:${ip}  Bcast:0.0.0.0  Mask:255.255.255.255`,
      ),
      '          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1',
      '',
      'lo        Link encap:Local Loopback',
      '          inet addr:127.0.0.1  Mask:255.0.0.0',
      '          UP LOOPBACK RUNNING  MTU:65536  Metric:1',
    ]),
  netstat: (process) =>
    print(process, [
      'Active Internet connections (only servers)',
      'Proto Recv-Q Send-Q Local Address           Foreign Address         State',
      ...process.container.machine
        .ports()
        .map(({ ip, port }) => `tcp        0      0 ${`${ip}:${port}`.padEnd(23)} 0.0.0.0:*               LISTEN`),
    ]),
  ss: (process) =>
    print(process, [
      'State    Recv-Q   Send-Q     Local Address:Port      Peer Address:Port',
      ...process.container.machine
        .ports()
        .map(({ ip, port }) => `LISTEN   0        511      ${`${ip}:${port}`.padStart(18)}           0.0.0.0:*`),
    ]),
}

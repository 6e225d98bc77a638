import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runProgram } from '../run-program.ts'
import type { FoundRuntime } from './found-runtime.ts'
import { ownGroup } from './in-namespaces.ts'
import { makeImages, PAUSE_IMAGE } from './make-images.ts'

/**
 * A machine with containerd, in namespaces that this process is in already (`unshare` in `in-namespaces.ts`): what is mounted here nobody
 * else sees, and all of it goes with the last process.
 */
export interface TestMachine extends AsyncDisposable {
  readonly socket: string
  /** As `--runtime` names it. */
  readonly endpoint: string
  /** Where containerd looks for networks. */
  readonly cniFolder: string
  /** Where containerd looks for devices of the Container Device Interface, if it knows that. */
  readonly cdiFolder: string
  readonly hasCdi: boolean
  /** Below it are the control groups of pods. */
  readonly cgroupRoot: string
  /** The command that runs another one on this machine; empty: this process is there. */
  readonly enter: readonly string[]
  stopContainerd(): Promise<void>
  startContainerd(): Promise<void>
  /** Runs the runtime's own client. */
  ctr(...args: readonly string[]): string
  /** Runs a command in a container by the runtime's own client. */
  execIn(id: string, script: string): Promise<{ readonly stdout: string; readonly code: number }>
}

export interface MachineOptions {
  /** Whether a list of network plugins is there. Default true. */
  readonly network?: boolean
  /** Of several machines; its name and addresses end in it. Default 1. */
  readonly number?: number
}

const SOCKET = '/run/containerd/containerd.sock'

export async function openMachine(folder: string, found: FoundRuntime, options: MachineOptions = {}): Promise<TestMachine> {
  prepareMounts(folder, options.number ?? 1)
  const config = path.join(folder, 'containerd.toml')
  const plugins = path.join(folder, 'cni.d')
  mkdirSync(plugins, { recursive: true })
  if (options.network !== false)
    writeFileSync(path.join(plugins, '10-test.conflist'), JSON.stringify(networkOf(['10.244.0.0/24', 'fd00:244::/64'])))
  const version = execFileSync(found.containerd, ['--version'], { encoding: 'utf8' })
  const cdiFolder = path.join(folder, 'cdi')
  mkdirSync(cdiFolder)
  const [, major, minor] = / v?(\d+)\.(\d+)\./.exec(version) ?? []
  const old = major === '1'
  const hasCdi = !old || Number(minor) >= 7
  writeFileSync(config, configOf({ found, folder, plugins, old, cdi: hasCdi ? cdiFolder : undefined }))
  let stop = async () => {}
  let execs = 0
  const ctr = ctrOf(found, [])
  const machine: TestMachine = {
    socket: SOCKET,
    endpoint: `unix://${SOCKET}`,
    cniFolder: plugins,
    cdiFolder,
    hasCdi,
    cgroupRoot: ownGroup(),
    enter: [],
    ctr,
    async execIn(id, script) {
      const exec = ['tasks', 'exec', '--exec-id', `fact-${++execs}`, id, 'sh', '-c', script]
      const { out, code } = await runProgram(found.ctr, ['--address', SOCKET, '--namespace', 'k8s.io', ...exec])
      return { stdout: out, code: code ?? 1 }
    },
    async startContainerd() {
      stop = await startContainerd(folder, config, found)
    },
    stopContainerd: () => stop(),
    [Symbol.asyncDispose]: () => stop(),
  }
  await machine.startContainerd()
  const archive = path.join(folder, 'images.tar')
  writeFileSync(archive, await makeImages())
  ctr('images', 'import', archive)
  return machine
}

/** Runs containerd's own client, on the machine that `enter` leads to. */
export function ctrOf(found: FoundRuntime, enter: readonly string[]): TestMachine['ctr'] {
  const [program = '', ...before] = [...enter, found.ctr, '--address', SOCKET, '--namespace', 'k8s.io']
  return (...args) =>
    execFileSync(program, [...before, ...args], { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'pipe'] })
}

function prepareMounts(folder: string, number: number): void {
  const run = (...args: readonly string[]) => execFileSync(args[0] ?? '', args.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] })
  const files = {
    'resolv.conf': 'nameserver 192.0.2.1\n',
    hosts: `${readFileSync('/etc/hosts', 'utf8').trimEnd()}\n192.0.2.1${number} node-${number}\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), text)
    run('mount', '--bind', path.join(folder, name), `/etc/${name}`)
  }
  run('hostname', `node-${number}`)
  run('ip', 'link', 'set', 'lo', 'up')
  run('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'outside')
  run('ip', 'link', 'set', 'outside', 'up')
  // The way out leads to a machine that serves nothing.
  run('ip', 'addr', 'add', '192.0.2.1/32', 'dev', 'lo')
  run('ip', 'addr', 'add', `192.0.2.1${number}/24`, 'dev', 'eth0')
  run('ip', '-6', 'addr', 'add', `fd00:2::1${number}/64`, 'dev', 'eth0', 'nodad')
  run('ip', 'link', 'set', 'eth0', 'up')
  run('ip', 'route', 'add', 'default', 'via', '192.0.2.1')
  for (const [own, at] of [
    ['kubelet', '/var/lib/kubelet'],
    ['pods', '/var/log/pods'],
    ['containers', '/var/log/containers'],
    ['cni-state', '/var/lib/cni'],
  ] as const) {
    mkdirSync(path.join(folder, own), { recursive: true })
    mkdirSync(at, { recursive: true })
    run('mount', '--bind', path.join(folder, own), at)
  }
  // Mounts that containers make reach the node.
  run('mount', '--make-rshared', '/var/lib/kubelet')
  for (const at of ['/run/netns', '/run/containerd']) {
    mkdirSync(at, { recursive: true })
    run('mount', '-t', 'tmpfs', 'tmpfs', at)
  }
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1')
}

async function startContainerd(folder: string, config: string, found: FoundRuntime): Promise<() => Promise<void>> {
  const log = openSync(path.join(folder, 'containerd.log'), 'a')
  const env = { ...process.env, PATH: `${found.folder}:${path.dirname(found.runc)}:${process.env.PATH}` }
  const child = spawn(found.containerd, ['--config', config], { env, stdio: ['ignore', log, log] })
  // A socket of a containerd that was killed refuses until then.
  for (let i = 0; !(await isListening(SOCKET)); i++) {
    if (i > 600 || child.exitCode !== null) throw new Error(`containerd did not start: see ${folder}/containerd.log`)
    await sleep(50)
  }
  appendFileSync(path.join(folder, 'containerd.pid'), `${child.pid}\n`)
  return async () => {
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

async function isListening(socket: string): Promise<boolean> {
  const connection = connect(socket)
  try {
    await once(connection, 'connect')
    return true
  } catch {
    return false
  } finally {
    connection.destroy()
  }
}

/** Pods of one node, on a bridge; host ports and bandwidth are done by the usual plugins. */
const networkOf = (podCidrs: readonly string[]) => ({
  cniVersion: '1.0.0',
  name: 'test',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      ipMasq: false,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        ranges: podCidrs.map((subnet) => [{ subnet }]),
        routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
      },
    },
    { type: 'portmap', capabilities: { portMappings: true }, snat: true },
    { type: 'bandwidth', capabilities: { bandwidth: true } },
  ],
})

interface ConfigInput {
  readonly found: FoundRuntime
  readonly folder: string
  readonly plugins: string
  /** Of release 1, which has another format. */
  readonly old: boolean
  /** For descriptions of devices. Undefined: this release does not know them. */
  readonly cdi: string | undefined
}

function configOf({ found, folder, plugins, old, cdi }: ConfigInput): string {
  const common = `root = "${folder}/containerd"\nstate = "/run/containerd/state"\n[grpc]\n  address = "${SOCKET}"\n`
  const runc = (at: string) =>
    ['runc', 'other']
      .map(
        (name) =>
          `[${at}.runtimes.${name}]\n  runtime_type = "io.containerd.runc.v2"\n[${at}.runtimes.${name}.options]\n  BinaryName = "${found.runc}"\n`,
      )
      .join('')
  const devices = cdi === undefined ? '' : `  enable_cdi = true\n  cdi_spec_dirs = ["${cdi}"]\n`
  if (old) {
    const at = `plugins."io.containerd.grpc.v1.cri"`
    return `version = 2\n${common}[${at}]\n  sandbox_image = "${PAUSE_IMAGE}"\n  disable_apparmor = true\n  restrict_oom_score_adj = true\n${devices}[${at}.cni]\n  bin_dir = "${found.cni}"\n  conf_dir = "${plugins}"\n${runc(`${at}.containerd`)}`
  }
  const [images, runtime] = [`plugins.'io.containerd.cri.v1.images'`, `plugins.'io.containerd.cri.v1.runtime'`]
  return `version = 3\n${common}[${images}]\n  snapshotter = "overlayfs"\n[${images}.pinned_images]\n  sandbox = "${PAUSE_IMAGE}"\n[${runtime}]\n  disable_apparmor = true\n  restrict_oom_score_adj = true\n${devices}[${runtime}.cni]\n  bin_dirs = ["${found.cni}"]\n  conf_dir = "${plugins}"\n${runc(`${runtime}.containerd`)}[plugins.'io.containerd.nri.v1.nri']\n  disable = true\n`
}

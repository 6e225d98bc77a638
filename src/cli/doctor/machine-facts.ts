import { spawnSync } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { accessSync, constants, existsSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { hasCode } from '../../base/has-code.ts'
import { defaultDataDir } from '../../cluster/config.ts'
import { ClusterRecords } from '../clusters/cluster-record.ts'
import { clustersHome } from '../clusters/clusters-home.ts'

/** What a cluster meets on a machine. */
export interface MachineFacts {
  readonly platform: string
  readonly node: string
  /** Where clusters are kept, and whether this user may write there. */
  readonly home: string
  readonly homeWritable: boolean
  /** The ports of 127.0.0.1 that cannot be opened, with the error's code. */
  readonly takenPorts: ReadonlyMap<number, string>
  /** The clusters of this user that run. */
  readonly running: readonly { readonly name: string; readonly address: string }[]
  /** Whether an address of 127.0.0.0/8 beside 127.0.0.1 can be listened on. */
  readonly loopbackRange: boolean
  /** Whether names below `localhost` lead to this machine. */
  readonly localhostNames: boolean
  /** Undefined: not on the PATH. */
  readonly kubectl: string | undefined
  readonly helm: string | undefined
  readonly root: boolean
  readonly containerd: boolean
  readonly cgroup2: boolean
  /** Programs of real nodes that are not on the PATH. */
  readonly missingPrograms: readonly string[]
}

/** The API server's port, and that of Ingresses. */
export const PORTS = { server: 6443, ingress: 22_080 } as const

/** Looks at this machine. Ports are opened for an instant. */
export async function readMachine(): Promise<MachineFacts> {
  const home = clustersHome()
  const taken = await Promise.all(Object.values(PORTS).map(async (port) => [port, await whyTaken('127.0.0.1', port)] as const))
  return {
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    home,
    homeWritable: isWritable(home),
    takenPorts: new Map(taken.flatMap(([port, code]) => (code === undefined ? [] : [[port, code]]))),
    running: new ClusterRecords(path.dirname(defaultDataDir(process.env))).list(),
    loopbackRange: (await whyTaken('127.25.43.1', 0)) === undefined,
    localhostNames: await lookup('shop.localhost').then(
      ({ address }) => address === '127.0.0.1' || address === '::1',
      () => false,
    ),
    kubectl: versionOf('kubectl', 'version', '--client', '--output=json'),
    helm: versionOf('helm', 'version', '--short'),
    root: process.getuid?.() === 0,
    containerd: existsSync('/run/containerd/containerd.sock'),
    cgroup2: existsSync('/sys/fs/cgroup/cgroup.controllers'),
    missingPrograms: ['runc', 'nft', 'conntrack'].filter((program) => !isOnPath(program)),
  }
}

/** The version in what a program prints. */
function versionOf(program: string, ...words: readonly string[]): string | undefined {
  const { stdout } = spawnSync(program, words, { encoding: 'utf8', timeout: 5000 })
  return /v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1]
}

const isOnPath = (program: string) =>
  `${process.env.PATH}:/usr/sbin:/sbin`.split(path.delimiter).some((folder) => existsSync(path.join(folder, program)))

/** Whether the folder, or the nearest one above it, can be written. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch (error) {
    return hasCode(error, 'ENOENT') && path.dirname(folder) !== folder && isWritable(path.dirname(folder))
  }
}

/** The code of the error; undefined: the port can be opened. */
function whyTaken(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve('code' in error && typeof error.code === 'string' ? error.code : error.message))
    server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  })
}

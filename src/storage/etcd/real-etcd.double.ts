import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The program etcd on this machine (`BOWSPRIT_ETCD`, `oracle/build.sh`, or Debian's etcd-server), or why there is none. */
export function findEtcd(): { readonly program: string } | { readonly why: string } {
  const folders = [process.env.ORACLE_BIN ?? path.join(tmpdir(), 'oracle/bin'), '/work/oracle-bin', ...(process.env.PATH ?? '').split(':')]
  const places = [process.env.BOWSPRIT_ETCD ?? '', ...folders.map((folder) => path.join(folder, 'etcd'))]
  const program = places.find((file) => file !== '' && existsSync(file))
  return program === undefined ? { why: 'etcd is not installed (Debian: etcd-server), and BOWSPRIT_ETCD does not name it' } : { program }
}

/** A running etcd of one member, with a folder of its own. */
export interface RealEtcd extends AsyncDisposable {
  readonly url: URL
  /** Its data. */
  readonly folder: string
  readonly process: ChildProcess
  /** Kills it; the data stays. */
  kill(): Promise<void>
  /** Starts it again after a kill, at the same port. */
  restart(): Promise<void>
}

/** Starts an empty etcd. It does not wait for the disk where a flag allows that. `flags`: more of etcd's own. */
export async function startRealEtcd(program: string, flags: readonly string[] = []): Promise<RealEtcd> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bowsprit-etcd-'))
  const [clientPort, peerPort] = await Promise.all([freePort(), freePort()])
  const client = `http://127.0.0.1:${clientPort}`
  const peer = `http://127.0.0.1:${peerPort}`
  const start = () =>
    spawn(
      program,
      [
        ...['--data-dir', folder, '--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
        ...['--log-level', 'error', ...unsynced(program), ...flags],
      ],
      { stdio: 'ignore' },
    )
  let running = start()
  await healthy(client, running)
  const kill = async () => {
    if (running.exitCode !== null || running.signalCode !== null) return
    running.kill('SIGKILL')
    await once(running, 'exit')
  }
  return {
    url: new URL(client),
    folder,
    get process() {
      return running
    },
    kill,
    async restart() {
      await kill()
      running = start()
      await healthy(client, running)
    },
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** etcd 3.4, which Debian 12 has, always waits for the disk. */
function unsynced(program: string): readonly string[] {
  const flag = '--unsafe-no-fsync'
  return execFileSync(program, ['--help'], { stdio: ['ignore', 'pipe', 'pipe'] }).includes(flag) ? [flag] : []
}

async function healthy(url: string, running: ChildProcess): Promise<void> {
  for (;;) {
    if (running.exitCode !== null) throw new Error(`etcd ended with ${running.exitCode}`)
    const response = await fetch(`${url}/health`).catch(() => undefined)
    if (response?.ok === true) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('invariant: a TCP server has a port')
  return address.port
}

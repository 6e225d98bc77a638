import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/free-port.ts'

const TOKEN = 'admin-token'

/** A kube-apiserver with an etcd of its own, configured as the one that the recordings were made with. */
export class RealServer implements AsyncDisposable {
  readonly kubeconfig: string
  readonly #programs: readonly ChildProcess[]
  readonly #url: string

  /** Starts both from a folder of binaries (`etcd`, `kube-apiserver`); their files lie in `folder`. */
  static async start(binaries: string, folder: string): Promise<RealServer> {
    const [etcd, peers, port] = [await freePort(), await freePort(), await freePort()]
    writeFileSync(path.join(folder, 'tokens.csv'), `${TOKEN},admin,admin-uid,"system:masters"\n`)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeFileSync(path.join(folder, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const start = (name: string, flags: readonly string[]) => {
      const log = openSync(path.join(folder, `${name}.log`), 'a')
      return spawn(path.join(binaries, name), flags, { cwd: folder, stdio: ['ignore', log, log] })
    }
    const programs = [start('etcd', etcdFlags(etcd, peers)), start('kube-apiserver', serverFlags(etcd, port))]
    const server = new RealServer(folder, port, programs)
    try {
      await server.#ready(path.join(folder, 'kube-apiserver.log'))
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
    return server
  }

  private constructor(folder: string, port: number, programs: readonly ChildProcess[]) {
    this.#programs = programs
    this.#url = `https://127.0.0.1:${port}`
    this.kubeconfig = path.join(folder, 'kubeconfig')
    const user = { name: 'u', user: { token: TOKEN } }
    const cluster = { name: 'c', cluster: { server: this.#url, 'insecure-skip-tls-verify': true } }
    const context = { name: 'c', context: { cluster: 'c', user: 'u' } }
    const config = { apiVersion: 'v1', kind: 'Config', clusters: [cluster], users: [user], contexts: [context], 'current-context': 'c' }
    writeFileSync(this.kubeconfig, JSON.stringify(config))
  }

  async #ready(log: string): Promise<void> {
    for (let tries = 0; tries < 300; tries++) {
      if (await this.#isReady()) return
      if (this.#programs.some(({ exitCode, pid }) => exitCode !== null || pid === undefined)) break
      await sleep(200)
    }
    throw new Error(`kube-apiserver did not become ready: ${readFileSync(log, 'utf8').slice(-2000)}`)
  }

  #isReady(): Promise<boolean> {
    const options = { headers: { authorization: `Bearer ${TOKEN}` }, rejectUnauthorized: false }
    return new Promise((resolve) => {
      const answered = (response: IncomingMessage) => {
        response.resume()
        resolve(response.statusCode === 200)
      }
      https.get(`${this.#url}/readyz`, options, answered).on('error', () => resolve(false))
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#programs.map((program) => {
      if (program.exitCode !== null || program.pid === undefined) return undefined
      const exit = new Promise((resolve) => program.once('exit', resolve))
      program.kill('SIGKILL')
      return exit
    })
    await Promise.all(ended)
  }
}

function etcdFlags(port: number, peers: number): readonly string[] {
  const clients = `http://127.0.0.1:${port}`
  const members = `http://127.0.0.1:${peers}`
  return [
    ...['--data-dir=etcd-data', '--log-level=error', `--initial-cluster=default=${members}`],
    ...[`--listen-client-urls=${clients}`, `--advertise-client-urls=${clients}`],
    ...[`--listen-peer-urls=${members}`, `--initial-advertise-peer-urls=${members}`],
  ]
}

function serverFlags(etcd: number, port: number): readonly string[] {
  return [
    ...[`--etcd-servers=http://127.0.0.1:${etcd}`, `--secure-port=${port}`, '--bind-address=127.0.0.1', '--advertise-address=127.0.0.1'],
    ...[
      '--cert-dir=certificates',
      '--token-auth-file=tokens.csv',
      '--authorization-mode=Node,RBAC',
      '--service-cluster-ip-range=10.0.0.0/24',
    ],
    '--service-account-issuer=https://kubernetes.default.svc',
    ...['--service-account-key-file=sa.key', '--service-account-signing-key-file=sa.key'],
  ]
}

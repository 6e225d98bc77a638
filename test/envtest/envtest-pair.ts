import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { writeAssets } from '../../src/cli/assets/write-assets.ts'
import { openCertificates } from '../../src/cluster/certificates.ts'
import { freePort } from '../free-port.ts'

/** The exit code or the signal of a program. */
export type End = number | NodeJS.Signals

/** A running program. */
export interface Program {
  readonly child: ChildProcess
  readonly ended: Promise<End>
  said(): string
}

export interface Reply {
  readonly code: number
  readonly body: string
}

/** A folder with the assets (or those of `programs`), and with the files that envtest creates for them; removed with all its programs. */
export function envtestHouse(programs?: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-envtest-'))
  const assets = programs ?? writeAssets({ folder: path.join(folder, 'assets'), kubectl: undefined })
  const certificates = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock: systemClock })
  const admin = certificates.client({ commonName: 'admin', organizations: ['system:masters'], uid: 'admin-uid' })
  writeFileSync(path.join(folder, 'apiserver.crt'), certificates.serving.certificate)
  writeFileSync(path.join(folder, 'apiserver.key'), certificates.serving.key)
  writeFileSync(path.join(folder, 'client-cert-auth-ca.crt'), certificates.ca.certificate)
  writeFileSync(path.join(folder, 'sa-signer.key'), certificates.serviceAccount.privateKey)
  writeFileSync(path.join(folder, 'sa-signer.crt'), certificates.serviceAccount.publicKeys[0] ?? '')
  const started: ChildProcess[] = []
  const start = (name: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Program => {
    const child = spawn(path.join(assets, name), words, { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    started.push(child)
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += String(text)
      })
    return {
      child,
      said: () => said,
      ended: new Promise((resolve, reject) => {
        child.once('error', reject)
        child.once('close', (code, signal) => resolve(code ?? signal ?? -1))
      }),
    }
  }
  return {
    folder,
    assets,
    start,
    /** etcd with the flags of envtest. */
    etcd: (port: number, dataDir = 'data', env: Readonly<Record<string, string>> = {}) =>
      start(
        'etcd',
        [
          `--advertise-client-urls=http://127.0.0.1:${port}`,
          `--data-dir=${dataDir}`,
          `--listen-client-urls=http://127.0.0.1:${port}`,
          '--listen-peer-urls=http://127.0.0.1:0',
          '--unsafe-no-fsync=true',
        ],
        env,
      ),
    /** kube-apiserver with the flags of envtest. */
    apiServer: (port: number, etcdPort: number, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
      start(
        'kube-apiserver',
        [
          '--allow-privileged=true',
          '--authorization-mode=RBAC',
          '--bind-address=127.0.0.1',
          `--cert-dir=${folder}`,
          `--client-ca-file=${folder}/client-cert-auth-ca.crt`,
          '--disable-admission-plugins=ServiceAccount',
          `--etcd-servers=http://127.0.0.1:${etcdPort}`,
          `--secure-port=${port}`,
          `--service-account-issuer=https://127.0.0.1:${port}/`,
          `--service-account-key-file=${folder}/sa-signer.crt`,
          `--service-account-signing-key-file=${folder}/sa-signer.key`,
          '--service-cluster-ip-range=10.0.0.0/24',
          ...more,
        ],
        env,
      ),
    /** Sends a request as the administrator. */
    ask: (port: number, url: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}): Promise<Reply> =>
      new Promise((resolve, reject) => {
        const request = https.request(
          {
            host: '127.0.0.1',
            port,
            path: url,
            method,
            rejectUnauthorized: false,
            agent: false,
            cert: admin.certificate,
            key: admin.key,
            headers: body === undefined ? {} : { 'content-type': 'application/json' },
          },
          (answer) => void replyOf(answer).then(resolve, reject),
        )
        request.on('error', reject)
        request.end(body === undefined ? undefined : JSON.stringify(body))
      }),
    [Symbol.dispose]: () => {
      for (const child of started) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Requests a page of etcd. */
export const askEtcd = (port: number, url: string): Promise<Reply> =>
  new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: url, agent: false }, (answer) => void replyOf(answer).then(resolve, reject))
      .on('error', reject)
  })

async function replyOf(answer: http.IncomingMessage): Promise<Reply> {
  let body = ''
  for await (const part of answer) body += String(part)
  return { code: answer.statusCode ?? 0, body }
}

/** Polls until the response is 200, as envtest does; fails with the program's output if it ends before. */
export async function ready(program: Program, ask: () => Promise<Reply>): Promise<void> {
  for (let tries = 0; tries < 1500; tries++) {
    const code = await ask().then(
      (reply) => reply.code,
      () => 0,
    )
    if (code === 200) return
    if (program.child.exitCode !== null || program.child.signalCode !== null)
      throw new Error(`it ended before it was ready: ${program.said()}`)
    await systemClock.sleep(20)
  }
  throw new Error(`it never was ready: ${program.said()}`)
}

/** Two free ports. */
export const twoPorts = async (): Promise<readonly [number, number]> => [await freePort(), await freePort()]
